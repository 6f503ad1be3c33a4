/**
 * A store that speaks S3 as far as it is needed, and believes nothing: it works out every signature itself, from the published
 * algorithm and its own copy of the keys, and the hash of every body.
 */
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

export interface FakeS3 extends AsyncDisposable {
  url: string
  objects: Map<string, Buffer>
  /** `METHOD key`, in order. */
  calls: string[]
  /** The next calls fail so, one each: with a status, or by a broken connection. */
  failNext(...faults: (number | 'reset')[]): void
  /** The `storage` entry of kherad.config.yaml. */
  config: string
}

const keyId = 'FAKEKEY'
const secret = 'fake/secret+key'
const bucket = 'kept'
const region = 'test-region-1'

export async function fakeS3(): Promise<FakeS3> {
  const objects = new Map<string, Buffer>()
  const calls: string[] = []
  const faults: (number | 'reset')[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const fault = faults.shift()
    if (fault === 'reset') {
      request.socket.destroy()
      return
    }
    if (fault !== undefined) return refuse(response, fault, fault === 503 ? 'SlowDown' : 'InternalError')
    const wrong = wrongIn(request, body)
    if (wrong) return refuse(response, 403, wrong)
    const [, asked = '', ...rest] = new URL(request.url!, 'http://s3').pathname.split('/')
    const key = rest.join('/')
    calls.push(`${request.method} ${key}`)
    if (asked !== bucket) return refuse(response, 404, 'NoSuchBucket')
    serve(objects, request, response, key, body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    objects,
    calls,
    failNext: (...next) => void faults.push(...next),
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
  } else give(objects.get(key), headers.range, response)
}

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

/** The code of the refusal, if the request is not what its signature says. */
function wrongIn(request: IncomingMessage, body: Buffer): string | undefined {
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
    query,
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    headers['x-amz-content-sha256'],
  ].join('\n')
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${where}/s3/aws4_request\n${sha256(canonical)}`
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${secret}`, day!), where!))
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch'
}
