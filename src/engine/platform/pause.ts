/** Only Node and Workers have `setImmediate`. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** Resolves once other work that is waiting has had its turn. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else afterMessages(resolve);
  });
}

/** Calls back behind what waits already. Browsers have timers that are set again and again wait for 4 ms. */
function afterMessages(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
