import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type Dispatcher, request } from 'undici'
import { openDispatcher, type Way } from '#platform/proxy'
import type { S3Config } from './settings.ts'
import { hashOf, signed } from './sign.ts'
import { type ByteSource, isKey, type Storage } from './storage.ts'

const tries = 4
const firstRetryMs = 100
/** Nothing at all is heard for this long: the try is given up. */
const silentMs = 30_000
/** A slow line still carries so much; what takes longer is stuck. */
const slowestBytesPerMs = 64
const deletesAtOnce = 8
const longestError = 64 * 1024

/** The store refused or could not be reached. Says its address and code, never a key of ours. */
export class StoreFailed extends Error {
  override name = 'StoreFailed'
}

interface Call {
  method: 'GET' | 'PUT' | 'DELETE'
  key: string
  headers?: Record<string, string>
  body?: Uint8Array | ByteSource
}

interface Ready extends Call {
  url: URL
  bodyHash: string
}

/**
 * A bucket of any S3-compatible store. What is put is signed with its SHA-256, so that the store itself refuses bytes that were
 * damaged on their way; every call here may be sent again without harm, and is where the store or the line failed.
 */
export function openS3(config: S3Config, way: (url: string) => Way): Storage {
  // The bucket may stand in the host: every key is below one origin all the same.
  const { origin } = addressOf(config, 'any')
  const pool = { connections: 32, keepAliveTimeout: 10_000 }
  const agent = openDispatcher(origin, { ...way(origin), connectMs: 5_000, pool })

  async function send({
    method,
    url,
    headers = {},
    body,
    bodyHash,
  }: Ready): Promise<Dispatcher.ResponseData> {
    const patienceMs = silentMs + Math.ceil(lengthOf(body) / slowestBytesPerMs)
    return request(url, {
      dispatcher: agent,
      method,
      headers: {
        ...signed(config, { method, url, headers, bodyHash, nowMs: Date.now() }),
        ...(body && isSource(body) && { 'content-length': String(body.bytes) }),
      },
      // The length of a stream is said, and kept to; else the store would be sent chunks, which it does not take unsigned.
      ...(body && { body: bytesOf(body), signal: AbortSignal.timeout(patienceMs) }),
      headersTimeout: patienceMs,
      bodyTimeout: silentMs,
    })
  }

  /** An answer that is worth reading: tries again after whatever may pass. */
  async function call(ask: Call): Promise<Dispatcher.ResponseData> {
    const ready = { ...ask, url: addressOf(config, ask.key), bodyHash: hashIn(ask.body) }
    for (let nth = 1; ; nth += 1) {
      try {
        const answer = await send(ready)
        if (!mayPass(answer.statusCode)) return answer
        const code = codeIn(await textOf(answer))
        if (nth === tries) throw new StoreFailed(said(config, answer.statusCode, code))
      } catch (error) {
        if (error instanceof StoreFailed) throw error
        if (nth === tries) throw new StoreFailed(`${config.endpoint} cannot be reached.`, { cause: error })
      }
      await pause(firstRetryMs * 2 ** (nth - 1) * (0.75 + Math.random() / 2))
    }
  }

  async function refused(answer: Dispatcher.ResponseData): Promise<never> {
    throw new StoreFailed(said(config, answer.statusCode, codeIn(await textOf(answer))))
  }

  async function put(key: string, body: Uint8Array | ByteSource): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream' }
    const answer = await call({ method: 'PUT', key, headers, body })
    if (answer.statusCode !== 200) return refused(answer)
    await answer.body.dump()
  }

  return {
    put,
    putStream: put,
    async get(key, range) {
      const headers = range && { range: `bytes=${range.start}-${range.end}` }
      const answer = await call({ method: 'GET', key, ...(headers && { headers }) })
      switch (answer.statusCode) {
        case 200:
        case 206:
          return answer.body
        case 404: {
          const code = codeIn(await textOf(answer))
          if (code !== 'NoSuchBucket') return undefined
          throw new StoreFailed(said(config, 404, code))
        }
        case 416:
          await answer.body.dump()
          return Readable.from([])
        default:
          return refused(answer)
      }
    },
    async delete(keys) {
      for (let at = 0; at < keys.length; at += deletesAtOnce)
        await Promise.all(
          keys.slice(at, at + deletesAtOnce).map(async (key) => {
            const answer = await call({ method: 'DELETE', key })
            if (answer.statusCode > 299 && answer.statusCode !== 404) return refused(answer)
            await answer.body.dump()
          }),
        )
    },
    async [Symbol.asyncDispose]() {
      await agent.destroy()
    },
  }
}

const isSource = (body: Uint8Array | ByteSource): body is ByteSource => !(body instanceof Uint8Array)

const lengthOf = (body: Call['body']): number => (body ? (isSource(body) ? body.bytes : body.length) : 0)

/** Each try reads a source from its beginning. */
const bytesOf = (body: Uint8Array | ByteSource): Uint8Array | Readable =>
  isSource(body) ? body.open() : body

const hashIn = (body: Call['body']): string => (body && isSource(body) ? body.sha256 : hashOf(body ?? ''))

function addressOf({ endpoint, bucket, pathStyle }: S3Config, key: string): URL {
  assert(isKey(key), 'a key of the storage is made of plain segments')
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/$/, '')
  if (pathStyle) url.pathname = `${base}/${bucket}/${key}`
  else {
    url.hostname = `${bucket}.${url.hostname}`
    url.pathname = `${base}/${key}`
  }
  return url
}

const mayPass = (status: number): boolean => status === 429 || status >= 500

async function textOf({ body }: Dispatcher.ResponseData): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > longestError) break
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const codeIn = (text: string): string => /<Code>(\w{1,100})<\/Code>/.exec(text)?.[1] ?? 'no code'

const said = ({ endpoint, bucket }: S3Config, status: number, code: string): string =>
  `The store ${endpoint} (bucket ${bucket}) answers ${status}: ${code}.`
