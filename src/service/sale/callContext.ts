import type { RangeReader } from "../../engine/index.ts";
import { LargeFileSlot } from "../../inputs/largeFileSlot.ts";
import { MemoryShare, PAYERS_POOL } from "../../inputs/memory.ts";
import type { ReceiveLimits } from "../../inputs/receive.ts";
import type { RequestKey } from "../../payments/sale/saleTerms.ts";
import type { Config } from "../../settings/config.ts";
import type { RequestFacts } from "../../shared/logLines.ts";
import { isDeveloper, isLoopback } from "../../shared/net/loopback.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { type SpooledFile, spool } from "../../storage/spool.ts";
import { signsProof } from "../request/ownHosts.ts";
import { type Step, step } from "./steps.ts";

/** The stages of a call, in order. */
export const STAGES = ["fetching", "marking", "storing", "settling"] as const;
/** A stage of a call, see {@link STAGES}. */
export type Stage = (typeof STAGES)[number];

/** The HTTP request of a call, and everything needed to answer it. */
export interface Exchange {
  request: Request;
  requestId: string;
  env: Env;
  config: Config;
  /** Facts for the log line, collected during the call. */
  facts: RequestFacts;
  /**
   * Signal that is aborted when the caller no longer needs the result. If the payment is not being settled by then, the
   * work stops and is not charged.
   */
  signal?: AbortSignal;
  /** Reports the beginning of each stage of the call. */
  progress?: (stage: Stage) => void;
  /** Keeps the Worker alive for a task, even if the caller has disconnected. */
  waitUntil(task: Promise<unknown>): void;
}

/**
 * One paid call, from reading its request to the end of its work. The object owns the call's memory, large-file slot
 * and spooled files. Disposing the object releases them.
 */
export class CallContext implements AsyncDisposable {
  readonly env: Env;
  readonly config: Config;
  /** Scheme and host of the link to the call's result. */
  readonly origin: string;
  /**
   * Whether this caller may name files on this machine's loopback. Only a developer's own request may do so, and only
   * if the settings allow it.
   */
  readonly allowLoopback: boolean;
  /** The paid resource, as the signed receipt names it; undefined if no receipt is signed. */
  readonly resourceUrl: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly progress: ((stage: Stage) => void) | undefined;
  /** The limits, the memory and the storage for each file of the request. */
  readonly receiving: { file: ReceiveLimits; image: ReceiveLimits };
  /** The slot for work on large files, acquired once all large files have arrived. */
  readonly slot: LargeFileSlot;
  /** The date that the mark shows. */
  readonly date = new Date();
  /** The default key of the request, which the work binds. Undefined if the default key does not apply. */
  defaultKey: RequestKey | undefined;
  /** Number of bytes received so far. */
  bytesReceived = 0;
  /** Time at which the work on the files began, in Unix milliseconds. Undefined while the files arrive. */
  workBegan: number | undefined;
  /** The error that is thrown when the next bytes arrive. Undefined while the call may continue. */
  refusal: Error | undefined;
  readonly #facts: RequestFacts;
  readonly #memory: MemoryShare;
  readonly #files = new AsyncDisposableStack();

  /**
   * Creates the context of a call.
   * @param resourceUrl the paid resource; undefined while it is unknown
   * @param account the account whose calls count as one owner of memory; undefined if this call counts alone
   */
  constructor(
    { request, env, config, facts, signal, progress }: Exchange,
    resourceUrl: string | undefined,
    account: string | undefined,
  ) {
    this.env = env;
    this.#facts = facts;
    this.config = config;
    this.origin = fileOrigin(request, config);
    this.allowLoopback = config.allowLoopbackSources && isDeveloper(request);
    this.resourceUrl = signsProof(request, config) ? resourceUrl : undefined;
    this.signal = signal;
    this.progress = progress;

    this.slot = new LargeFileSlot(config.maxLargeFiles, config.workSeconds * 1000);
    const memory = new MemoryShare(PAYERS_POOL, config.callMs, account);
    this.#memory = memory;
    const shared = {
      pace: { ...config.bodyPace, deadlineMs: config.fetchTimeoutMs },
      memory,
      count: (bytes: number) => {
        this.bytesReceived += bytes;
        if (this.refusal) throw this.refusal;
      },
      store: async (chunks: AsyncIterable<Uint8Array>, atMost?: number) =>
        this.#hold(await spool(bucketOf(env), chunks, atMost)),
    };
    const { maxSourceBytes, maxImageBytes, spoolThresholdBytes } = config;
    this.receiving = {
      file: { field: "file", maxBytes: maxSourceBytes, inMemoryBytes: spoolThresholdBytes, ...shared },
      image: { field: "image", maxBytes: maxImageBytes, inMemoryBytes: maxImageBytes, ...shared },
    };
  }

  /** Runs and measures a step of the call. */
  step<T>(name: Step, act: () => Promise<T>): Promise<T> {
    return step(name, this.#facts, act);
  }

  /** Releases the memory and the slot immediately, then deletes the spooled files. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#memory.release();
    this.slot.release();
    return this.#files.disposeAsync();
  }

  #hold(file: SpooledFile): RangeReader {
    this.#files.defer(() => file.delete());
    return file;
  }
}

/** Returns the scheme and the host of the links to a request's results. */
export function fileOrigin(request: Request, { fileHost }: Config): string {
  const { origin, protocol } = new URL(request.url);
  if (fileHost === undefined) return origin;
  return `${isLoopback(request) ? protocol : "https:"}//${fileHost}`;
}
