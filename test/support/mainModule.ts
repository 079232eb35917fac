/** What the plugin that runs tests in workerd imports modules with. */
declare const __vitest_mocker__: { moduleRunner: { import(path: string): Promise<unknown> } };

const MAIN = /\/src\/index\.ts$/;

/**
 * Has the Worker's main module imported once by each test file: the plugin does so for each call of the Worker and of its
 * Durable Objects, and asks Vite every time, over a socket, whether the module has changed. That took longer than the call.
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
