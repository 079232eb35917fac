/** Whether the tests run in workerd instead of Node.js. */
export const isWorkerd = navigator.userAgent === "Cloudflare-Workers";
