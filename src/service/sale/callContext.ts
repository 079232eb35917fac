import type { RangeReader } from "../../engine/index.ts";
import { LargeFileSlot } from "../../inputs/largeFileSlot.ts";
import { MemoryShare, PAYERS_POOL } from "../../inputs/memory.ts";
import type { ReceiveLimits } from "../../inputs/receive.ts";
import type { Config } from "../../settings/config.ts";
import type { RequestFacts } from "../../shared/log.ts";
import { isDeveloper, isLoopback } from "../../shared/net/loopback.ts";
import { bucketOf } from "../../storage/bucket.ts";
import { type SpooledFile, spool } from "../../storage/spool.ts";
import { signsProof } from "../request/ownHosts.ts";
import { type Step, step } from "./steps.ts";

/** The stages of a call, in order. */
export const STAGES = ["fetching", "marking", "storing", "settling"] as const;
/** One of {@link STAGES}. */
export type Stage = (typeof STAGES)[number];

/** The HTTP request that carries a call, and what is needed to answer it. */
export interface Exchange {
  request: Request;
  requestId: string;
  env: Env;
  config: Config;
  /** What is found out on the way. */
  facts: RequestFacts;
  /** Aborted when the caller no longer wants the result: work that is not settled yet stops and is not charged. */
  signal?: AbortSignal;
  /** Called as each stage begins. */
  progress?: (stage: Stage) => void;
  /** Keeps the Worker alive for a task, even if the caller has disconnected. */
  waitUntil(task: Promise<unknown>): void;
}

/**
 * One paid call, from reading its request to the end of its work. Owns its memory, the large-file slot and the spooled
 * files; disposing it releases them.
 */
export class CallContext implements AsyncDisposable {
  readonly env: Env;
  readonly config: Config;
  /** Scheme and host of the result's link. */
  readonly origin: string;
  /**
   * Whether this caller may name files on this machine's loopback: only a developer's own request, if the settings
   * allow it.
   */
  readonly allowLoopback: boolean;
  /** What is paid for, as the signed receipt names it; undefined if there will be none. */
  readonly resourceUrl: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly progress: ((stage: Stage) => void) | undefined;
  /** How the request's files are received, by the field that names them. */
  readonly limits: { file: ReceiveLimits; image: ReceiveLimits };
  /** Acquired once all that is large has come and is worked on. */
  readonly slot: LargeFileSlot;
  /** The bytes taken in so far. */
  bytesReceived = 0;
  /** When the work on the files began, Unix milliseconds; undefined while they are waited for. */
  workBegan: number | undefined;
  /** Why nothing more is taken in, once that is known: it ends what is being received. */
  refusal: Error | undefined;
  readonly #facts: RequestFacts;
  readonly #memory: MemoryShare;
  readonly #files = new AsyncDisposableStack();

  /**
   * @param resourceUrl what is paid for; undefined while that is not known
   * @param account whose calls share what one may have of the memory; undefined if only this one has it
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
    const receiving = {
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
    this.limits = {
      file: { field: "file", maxBytes: maxSourceBytes, inMemoryBytes: spoolThresholdBytes, ...receiving },
      image: { field: "image", maxBytes: maxImageBytes, inMemoryBytes: maxImageBytes, ...receiving },
    };
  }

  /** Does a step of the call, and measures it. */
  step<T>(name: Step, act: () => Promise<T>): Promise<T> {
    return step(name, this.#facts, act);
  }

  /** Gives memory and slot back at once. */
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

/** Returns scheme and host of the links to a request's results. */
export function fileOrigin(request: Request, { fileHost }: Config): string {
  const { origin, protocol } = new URL(request.url);
  if (fileHost === undefined) return origin;
  return `${isLoopback(request) ? protocol : "https:"}//${fileHost}`;
}
