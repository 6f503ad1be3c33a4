/** Calls to one bucket, with retries if they may help, and with errors of our own. */
import { setTimeout as pause } from 'node:timers/promises'
import { sha256InSlices } from '#platform/bytes'
import type { Egress } from '#platform/proxy'
import { type Client, openClient, sha256Of } from './s3-client.ts'
import type { S3Config } from './settings.ts'
import type { ByteSource, PutOptions } from './storage.ts'

const tries = 4
const firstRetryMs = 100

/** Thrown if the store refuses a call or cannot be reached. The message contains the store's address and code, never a key. */
export class StoreFailed extends Error {
  override name = 'StoreFailed'
  /** The store's error code; undefined if it could not be reached. */
  readonly code: string | undefined
  readonly status: number | undefined

  constructor(message: string, { code, status, cause }: { code?: string; status?: number; cause?: unknown }) {
    super(message, { cause })
    this.code = code
    this.status = status
  }
}

/** A bucket, as the functions that call it see it. */
export interface Bucket extends AsyncDisposable {
  name: string
  /** Makes a call, and repeats it after temporary errors until `signal` aborts; `send` makes the whole call anew. Throws StoreFailed. */
  call<Reply>(send: (client: Client) => Promise<Reply>, signal?: AbortSignal): Promise<Reply>
}

export const openBucket = (config: S3Config, egress: (url: string) => Egress): Bucket =>
  new RetryingBucket(config, egress)

class RetryingBucket implements Bucket {
  readonly #config: S3Config
  readonly #egress: (url: string) => Egress
  /** The client, which the first call opens. */
  #client: Promise<Client> | undefined

  constructor(config: S3Config, egress: (url: string) => Egress) {
    this.#config = config
    this.#egress = egress
  }

  get name(): string {
    return this.#config.bucket
  }

  async call<Reply>(send: (client: Client) => Promise<Reply>, signal?: AbortSignal): Promise<Reply> {
    this.#client ??= openClient(this.#config, this.#egress)
    const client = await this.#client
    for (let nth = 1; ; nth += 1) {
      try {
        return await send(client)
      } catch (error) {
        const failure = failureOf(this.#config, error)
        if (!failure.mayPass || nth === tries || signal?.aborted) throw failure.result
      }
      await pause(firstRetryMs * 2 ** (nth - 1) * (0.75 + Math.random() / 2))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#client)?.[Symbol.asyncDispose]()
  }
}

const isSource = (body: Uint8Array | ByteSource): body is ByteSource => !(body instanceof Uint8Array)

/** Stores the bytes. A stream is sent with its known length and hash; each attempt reads it from its beginning. */
export async function put(
  bucket: Bucket,
  key: string,
  body: Uint8Array | ByteSource,
  { sha256, signal }: PutOptions = {},
): Promise<void> {
  const known = isSource(body)
    ? body
    : { bytes: body.length, sha256: sha256 ?? (await sha256InSlices(body)), open: () => body }
  await bucket.call(
    ({ sdk, s3 }) =>
      s3.send(
        new sdk.PutObjectCommand({
          Bucket: bucket.name,
          Key: key,
          Body: known.open(),
          ContentLength: known.bytes,
          ContentType: 'application/octet-stream',
          ...{ [sha256Of]: known.sha256 },
        }),
        { ...(signal && { abortSignal: signal }) },
      ),
    signal,
  )
}

/** Converts errors of the client, and decides whether a retry may help (`mayPass`). */
function failureOf({ endpoint, bucket }: S3Config, error: unknown): { result: Error; mayPass: boolean } {
  const { name: code, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } }
  const status = $metadata?.httpStatusCode
  if (status === undefined)
    return {
      result: new StoreFailed(`${endpoint} cannot be reached.`, { cause: error }),
      mayPass: true,
    }
  const named = code && /^\w{1,100}$/.test(code) ? code : 'no code'
  return {
    result: new StoreFailed(`The store ${endpoint} (bucket ${bucket}) answers ${status}: ${named}.`, {
      code: named,
      status,
    }),
    mayPass: status === 429 || (status >= 500 && status !== 501),
  }
}
