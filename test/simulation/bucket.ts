import { createHash } from "node:crypto";
import type { Bucket, Metadata, MultipartUpload, StoredObject, UploadedPart } from "../../src/storage/objectStore.ts";
import { ByteStream, joined } from "./streams.ts";
import { elapse, mayDie, never, running, type World } from "./world.ts";

const NO_SUCH_UPLOAD = "The specified multipart upload does not exist. (10024)";
const INVALID_PART = "One or more of the specified parts could not be found. (10025)";
const INTERNAL_ERROR = "We encountered an internal error. Please try again. (10001)";

interface Stored extends StoredObject {
  bytes: Uint8Array;
}

/**
 * A simulated R2 bucket that all machines share. Operations can be slow or fail. A failed operation may still take
 * effect, immediately or later. A read can break off.
 */
export class SimulatedBucket {
  readonly objects = new Map<string, Stored>();
  /** Keys of the objects whose write has failed. */
  readonly failed = new Set<string>();
  /** The key and the parts of each unfinished multipart upload, by upload id. */
  readonly unfinished = new Map<string, { key: string; parts: Map<number, { bytes: Uint8Array; etag: string }> }>();
  /** Number of ids and entity tags issued to multipart uploads. */
  #etags = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  head(key: string) {
    return this.#operate([], () => shown(this.objects.get(key)));
  }

  async get(key: string, { range, onlyIf }: Parameters<Bucket["get"]>[1] & { onlyIf?: { etagMatches: string } }) {
    const object = await this.#operate([], () => this.objects.get(key));
    if (!object) return null as never;
    if (onlyIf && onlyIf.etagMatches !== object.etag) return shown(object) as never;
    const { offset, length } = range ?? { offset: 0, length: object.size };
    const bytes = object.bytes.slice(offset, offset + length);
    return {
      ...shown(object)!,
      body: this.#streamOf(bytes),
      arrayBuffer: async () => bytes.buffer,
      json: async () => JSON.parse(new TextDecoder().decode(bytes)),
    };
  }

  async put(
    key: string,
    value: ReadableStream<Uint8Array> | string | null,
    { onlyIf, ...metadata }: Metadata & { onlyIf?: { etagMatches: string } },
  ) {
    if (value instanceof ByteStream && running() && this.#world.fails(0.02)) {
      this.failed.add(key);
      throw new Error(INTERNAL_ERROR); // the operation fails before it reads the stream
    }
    const bytes =
      typeof value === "string" || value === null ? new TextEncoder().encode(value ?? "") : await joined(value);
    return this.#operate([key], () => {
      if (onlyIf && this.objects.get(key)?.etag !== onlyIf.etagMatches) return null as never;
      return shown(this.#store(key, bytes, metadata)) as never;
    });
  }

  delete(keys: string | string[]) {
    return this.#operate([keys].flat(), () => {
      for (const key of [keys].flat()) this.objects.delete(key);
    });
  }

  list({ prefix, startAfter, limit }: Parameters<Bucket["list"]>[0]) {
    return this.#operate([], () => {
      const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > startAfter).toSorted();
      return { objects: keys.slice(0, limit).map((key) => ({ key })), truncated: keys.length > limit };
    });
  }

  createMultipartUpload(key: string) {
    return this.#operate([key], () => {
      const uploadId = String(this.#etags++);
      this.unfinished.set(uploadId, { key, parts: new Map() });
      return this.resumeMultipartUpload(key, uploadId);
    });
  }

  resumeMultipartUpload(key: string, uploadId: string): MultipartUpload {
    const open = () => {
      const parts = this.unfinished.get(uploadId)?.parts;
      if (!parts) throw new Error(NO_SUCH_UPLOAD);
      return parts;
    };
    return {
      uploadId,
      uploadPart: async (partNumber: number, stream: ReadableStream<Uint8Array>) => {
        const bytes = await joined(stream);
        return this.#operate([key], () => {
          const etag = String(this.#etags++);
          open().set(partNumber, { bytes, etag });
          return { partNumber, etag };
        });
      },
      complete: (listed: UploadedPart[]) =>
        this.#operate([key], () => {
          const parts = open();
          const found = listed.map(({ partNumber, etag }) => {
            const part = parts.get(partNumber);
            if (part?.etag !== etag) throw new Error(INVALID_PART);
            return part.bytes;
          });
          this.unfinished.delete(uploadId);
          return this.#store(key, new Uint8Array(Buffer.concat(found)), {});
        }),
      abort: () =>
        this.#operate([key], () => {
          open();
          this.unfinished.delete(uploadId);
        }),
    };
  }

  #store(key: string, bytes: Uint8Array, metadata: Metadata): Stored {
    const etag = createHash("md5").update(bytes).digest("hex");
    const uploaded = new Date(this.#world.deploymentNow);
    const stored = { key, size: bytes.length, etag, httpEtag: `"${etag}"`, uploaded, ...metadata, bytes };
    this.objects.set(key, stored);
    return stored;
  }

  /** Performs an operation of the bucket, or makes it fail. `written` lists the keys that the operation writes. */
  async #operate<T>(written: string[], act: () => T): Promise<T> {
    const world = this.#world;
    const execution = running();
    if (!execution) return act(); // outside of an execution, the simulation's rules read the bucket without faults
    const held = Math.max(0, execution.heldUntil() - world.now);
    await elapse(held + world.below(world.fails(0.02) ? 30_000 : 60));
    if (world.fails(0.04)) {
      for (const key of written) this.failed.add(key);
      const when = world.below(3);
      const actUnseen = () => {
        try {
          act();
        } catch {
          // The caller has already received the error of the fault.
        }
      };
      if (when === 1) actUnseen();
      if (when === 2) world.later(world.below(60_000), actUnseen);
      throw new Error(INTERNAL_ERROR);
    }
    const done = act();
    return mayDie(execution) ? never() : done;
  }

  #streamOf(bytes: Uint8Array): ByteStream {
    if (!running() || !this.#world.fails(0.03)) return ByteStream.of(bytes);
    return new ByteStream(() => {
      throw new Error("Network connection lost.");
    });
  }
}

function shown(stored: Stored | undefined): StoredObject | null {
  if (!stored) return null;
  const { bytes: _, ...object } = stored;
  return object;
}
