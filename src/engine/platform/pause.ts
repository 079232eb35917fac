/** The function `setImmediate`, which exists in Node.js and Workers, but not in browsers. */
declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** Yields to the event loop. The promise resolves after other waiting tasks have run. */
export function pause(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === "function") setImmediate(resolve);
    else afterMessages(resolve);
  });
}

/**
 * Calls `callback` after all waiting tasks. Posts a message instead of setting a timer, because browsers delay nested
 * timers by 4 ms.
 */
function afterMessages(callback: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(undefined);
}
