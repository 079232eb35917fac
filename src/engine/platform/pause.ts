/** Exists only in Node.js and Workers. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** Yields to the event loop: resolves after other waiting tasks have run. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else afterMessages(resolve);
  });
}

/** Calls back after all waiting tasks. Browsers delay nested timers by 4 ms, so it uses a message instead. */
function afterMessages(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
