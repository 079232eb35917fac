/**
 * Retains the visitor's files in this browser, so that they survive a reload of the tab. The password is not retained.
 * Opening the page deletes the files that other tabs stored more than {@link MAX_AGE_MS} ago.
 */

/** A PDF, and the image to put on its pages. */
export interface KeptFiles {
  pdf: File;
  image?: File | undefined;
}

/** Maximum size of the files together, in bytes. */
const MAX_BYTES = 50e6;
const MAX_AGE_MS = 3600 * 1000;
const DATABASE = "overprint";
const STORE = "files";
/** Key of the tab's id in the session storage, which lasts as long as the tab. */
const TAB = "overprint.tab";

let current: KeptFiles | undefined;
/** The PDF that the visitor discarded with the latest reset. It is not stored again. */
let forgotten: File | undefined;
/** Whether a reload would lose the files. */
let isLosable = false;
addEventListener("beforeunload", (event) => {
  if (isLosable) event.preventDefault(); // the browser asks the visitor whether to leave
});

/** Retains files in place of earlier ones, or deletes the earlier ones if the visitor has no file. */
export async function retain(files: KeptFiles | undefined): Promise<void> {
  const isSame = files?.pdf === current?.pdf && files?.image === current?.image;
  if (isSame || (files && files.pdf === forgotten)) return;
  current = files;
  isLosable = false;
  if (!files) return deleteStored();
  const isKept = files.pdf.size + (files.image?.size ?? 0) <= MAX_BYTES && (await isStored(files));
  if (!isKept) await deleteStored();
  if (files === current) isLosable = !isKept;
}

/** Stores files. Returns false if the browser denies storage. */
function isStored(files: KeptFiles): Promise<boolean> {
  return inStore("readwrite", (store) => store.put({ ...files, at: Date.now() }, tab())).then(
    () => true,
    () => false,
  );
}

/** Deletes the retained files of this tab, because the visitor has reset the playground. */
export function forgetFiles(): Promise<void> {
  forgotten = current?.pdf;
  isLosable = false;
  return deleteStored();
}

async function deleteStored(): Promise<void> {
  await inStore("readwrite", (store) => store.delete(tab())).catch(() => undefined);
}

/** Returns the retained files of this tab, if any, and deletes old files of other tabs. */
export async function keptFiles(): Promise<KeptFiles | undefined> {
  try {
    await inStore("readwrite", (store) => {
      const request = store.openCursor();
      request.onsuccess = () => {
        const cursor = request.result;
        if (!cursor) return;
        if (cursor.key !== tab() && cursor.value.at < Date.now() - MAX_AGE_MS) cursor.delete();
        cursor.continue();
      };
      return request;
    });
    return (await inStore("readonly", (store) => store.get(tab()))) as KeptFiles | undefined;
  } catch {
    return undefined; // the browser denies storage
  }
}

function tab(): string {
  const id = sessionStorage.getItem(TAB) ?? crypto.randomUUID();
  sessionStorage.setItem(TAB, id);
  return id;
}

/** Runs a transaction on the store. Returns the result of its request. */
async function inStore(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<unknown> {
  const database = await opened();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = act(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    database.close();
  }
}

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
