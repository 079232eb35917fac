/** Global variable with the module loader of the vitest plugin for workerd. */
declare const __vitest_mocker__: { moduleRunner: { import(path: string): Promise<unknown> } };

const MAIN = /\/src\/index\.ts$/;

/**
 * Makes the vitest plugin import the Worker's main module once per test file. By default, the plugin imports the module
 * for each call of the Worker and of its Durable Objects. It also asks Vite over a socket whether the module has
 * changed, which takes longer than the call.
 */
function importMainOnce(): void {
  const { moduleRunner } = __vitest_mocker__;
  const importAnew = Object.getPrototypeOf(moduleRunner).import as typeof moduleRunner.import;
  let main: unknown;
  moduleRunner.import = async (path) => {
    if (!MAIN.test(path)) return importAnew.call(moduleRunner, path);
    main ??= await importAnew.call(moduleRunner, path);
    return main;
  };
}

importMainOnce();
