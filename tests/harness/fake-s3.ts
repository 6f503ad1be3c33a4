/**
 * A fake S3 store, with the operations that the tests need. It trusts nothing: it computes every signature from the published algorithm and
 * its own copy of the keys, and the hash of every body.
 */
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { whileHere } from './while-here.ts'

export interface FakeS3 extends AsyncDisposable {
  url: string
  objects: Map<string, Buffer>
  /** Multipart uploads that were neither completed nor aborted, by their ids. */
  uploads: Map<string, Upload>
  /** `METHOD key`, in order. */
  calls: string[]
  /** How many calls were left without an answer. */
  readonly hung: number
  /** Makes the next calls fail, one each: with a status, by a broken connection, or without any answer. */
  failNext(...faults: Fault[]): void
  /** Executes the next call of this method and address, but loses its answer. */
  loseAnswerTo(method: string, url: RegExp): void
  /** Executes the next call of this method and address, and never answers it. */
  hangAfter(method: string, url: RegExp): void
  /** The `storage` entry of kherad.config.yaml. */
  config: string
}

type Fault = number | 'reset' | 'hang'

export interface Upload {
  key: string
  parts: Map<number, Buffer>
}

const keyId = 'FAKEKEY'
const secret = 'fake/secret+key'
const bucket = 'kept'
const region = 'test-region-1'
const markPath = `/${bucket}/kherad-installation.json`

export async function fakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Upload>()
  const calls: string[] = []
  const faults: Fault[] = []
  const marks = new Map<string, Buffer>()
  let hung = 0
  let lost: { method: string; url: RegExp; hangs: boolean } | undefined
  const server = createServer(
    whileHere(async (request, response) => {
      const body = await buffer(request)
      // The start's own, and that of no test of what is stored.
      if (request.url?.split('?')[0] === markPath) return serve(marks, request, response, markPath, body)
      const fault = faults.shift()
      if (fault === 'reset') {
        request.socket.destroy()
        return
      }
      if (fault === 'hang') {
        hung += 1
        return
      }
      if (fault !== undefined)
        return refuse(
          response,
          fault,
          ({ 403: 'AccessDenied', 503: 'SlowDown' } as Record<number, string>)[fault] ?? 'InternalError',
        )
      if (lost && request.method === lost.method && lost.url.test(request.url!)) {
        const { hangs } = lost
        lost = undefined
        // Discards what is written.
        response.writeHead = () => response
        response.end = () => {
          if (hangs) hung += 1
          else request.socket.destroy()
          return response
        }
      }
      const wrong = signatureFaultOf(request, body)
      if (wrong) return refuse(response, 403, wrong)
      const { pathname, searchParams: query } = new URL(request.url!, 'http://s3')
      const [, asked = '', ...rest] = pathname.split('/')
      const key = rest.join('/')
      calls.push(`${request.method} ${key}`)
      if (asked !== bucket) return refuse(response, 404, 'NoSuchBucket')
      if (query.has('uploads') || query.has('uploadId'))
        return serveUploads({ objects, uploads }, request, response, key, query, body)
      serve(objects, request, response, key, body)
    }),
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    objects,
    uploads,
    calls,
    get hung() {
      return hung
    },
    failNext: (...next) => void faults.push(...next),
    loseAnswerTo(method, url) {
      lost = { method, url, hangs: false }
    },
    hangAfter(method, url) {
      lost = { method, url, hangs: true }
    },
    config: `
storage:
  s3: { endpoint: '${url}', region: ${region}, bucket: ${bucket}, access_key_id: ${keyId}, secret_access_key: '${secret}' }
`,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function serve(
  objects: Map<string, Buffer>,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  key: string,
  body: Buffer,
): void {
  if (method === 'PUT') {
    objects.set(key, body)
    response.writeHead(200).end()
  } else if (method === 'DELETE') {
    objects.delete(key)
    response.writeHead(204).end()
  } else if (method === 'HEAD') {
    const object = objects.get(key)
    response.writeHead(object ? 200 : 404, { 'content-length': object?.length ?? 0 }).end()
  } else give(objects.get(key), headers.range, response)
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html, every part but the last of 5 MiB and more. */
function serveUploads(
  { objects, uploads }: Pick<FakeS3, 'objects' | 'uploads'>,
  { method }: IncomingMessage,
  response: ServerResponse,
  key: string,
  query: URLSearchParams,
  body: Buffer,
): void {
  const id = query.get('uploadId') ?? ''
  const upload = uploads.get(id)
  if (query.has('uploads') && method === 'GET') xml(response, listOf(uploads, query.get('prefix') ?? ''))
  else if (query.has('uploads')) {
    const made = randomUUID()
    uploads.set(made, { key, parts: new Map() })
    xml(
      response,
      `<InitiateMultipartUploadResult><UploadId>${made}</UploadId></InitiateMultipartUploadResult>`,
    )
  } else if (!upload || upload.key !== key) refuse(response, 404, 'NoSuchUpload')
  else if (method === 'PUT') {
    upload.parts.set(Number(query.get('partNumber')), body)
    response.writeHead(200, { etag: `"${sha256(body)}"` }).end()
  } else if (method === 'DELETE') {
    uploads.delete(id)
    response.writeHead(204).end()
  } else {
    const whole = wholeOf(upload, String(body))
    if (whole) {
      uploads.delete(id)
      objects.set(key, whole)
      xml(response, `<CompleteMultipartUploadResult><Key>${key}</Key></CompleteMultipartUploadResult>`)
    } else refuse(response, 400, 'InvalidPart')
  }
}

function wholeOf({ parts }: Upload, asked: string): Buffer | undefined {
  const named = [...asked.matchAll(/<Part>.*?<\/Part>/gs)].map(([part]) => ({
    number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
    etag: /<ETag>(?:"|&quot;)?(\w+)/.exec(part)?.[1],
  }))
  const bodies = named.map(({ number, etag }) => {
    const body = parts.get(number)
    return body && sha256(body) === etag ? body : undefined
  })
  const isWhole = bodies.every(
    (body, at) => body && (at === bodies.length - 1 || body.length >= 5 * 1024 * 1024),
  )
  return named.length > 0 && isWhole ? Buffer.concat(bodies as Buffer[]) : undefined
}

const listOf = (uploads: FakeS3['uploads'], prefix: string): string =>
  `<ListMultipartUploadsResult>${[...uploads]
    .filter(([, { key }]) => key.startsWith(prefix))
    .map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
    .join('')}</ListMultipartUploadsResult>`

const xml = (response: ServerResponse, text: string): void =>
  void response.writeHead(200, { 'content-type': 'application/xml' }).end(`<?xml version="1.0"?>${text}`)

function give(object: Buffer | undefined, asked: string | undefined, response: ServerResponse): void {
  const range = /^bytes=(\d+)-(\d+)$/.exec(asked ?? '')
  if (!object) refuse(response, 404, 'NoSuchKey')
  else if (!range) response.writeHead(200).end(object)
  else if (Number(range[1]) >= object.length) refuse(response, 416, 'InvalidRange')
  else response.writeHead(206).end(object.subarray(Number(range[1]), Number(range[2]) + 1))
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`)
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

/** The error code if the request does not match its signature, else undefined. */
function signatureFaultOf(request: IncomingMessage, body: Buffer): string | undefined {
  const { headers, method } = request
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request,\s*SignedHeaders=([^,]+),\s*Signature=(\w{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!found) return 'AccessDenied'
  const [, id, day, where, names = '', signature] = found
  const time = String(headers['x-amz-date'])
  if (id !== keyId || where !== region || !time.startsWith(day!)) return 'InvalidAccessKeyId'
  const at = Date.parse(time.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (!(Math.abs(Date.now() - at) < 15 * 60_000)) return 'RequestTimeTooSkewed'
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch'
  for (const must of ['host', 'x-amz-content-sha256', 'x-amz-date'])
    if (!names.split(';').includes(must)) return 'AccessDenied'
  const [path = '', query = ''] = request.url!.split('?')
  const canonical = [
    method,
    path,
    query
      .split('&')
      .sort()
      .map((pair) => (pair.includes('=') || pair === '' ? pair : `${pair}=`))
      .join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${where}/s3/aws4_request\n${sha256(canonical)}`
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, day!), where!))
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}
