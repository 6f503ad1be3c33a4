/** One request of an app, as the areas of a cloud get it. */
import { cloudUrl, type LiveCloud } from '#cloud/clouds'
import { type AppsRequest, isUpgrade } from '#platform/apps'
import { fail, type Language } from '#platform/errors'
import { type BodyMemory, languageOf, parseJson, readBody, readToDisk, readUpload } from '#platform/http'
import { uuidv7 } from '#platform/ids'
import type { AppCallApp, CloudHandlerApp } from '../app.ts'
import type { AppArea, AppCall, AppCaller } from './area.ts'
import { reasons } from './phrases.ts'

/** A request from its first line to the end of its answer. */
export interface RequestState {
  request: AppsRequest
  requestId: string
  receivedMs: number
  language: Language
  gone: AbortController
  /** These three become known while the request is handled. */
  cloud?: LiveCloud
  area?: AppArea
  caller?: AppCaller
  /** The code of the refusal that was answered. */
  code?: string
}

export function newRequestState(
  { clock }: Pick<CloudHandlerApp, 'clock'>,
  request: AppsRequest,
): RequestState {
  const gone = new AbortController()
  request.response.once('close', () => gone.abort())
  return {
    request,
    requestId: uuidv7(),
    receivedMs: clock.nowMs(),
    language: languageOf(request.message.headers),
    gone,
  }
}

interface CallParts {
  /** What the area gets. */
  app: AppCallApp
  /** What receives bodies. */
  receiver: Pick<CloudHandlerApp, 'config' | 'log' | 'spool'>
  intake: BodyMemory
  cloud: LiveCloud
  area: AppArea
  caller: AppCaller
}

export function callOf(
  { request, requestId, language, gone }: RequestState,
  { app, receiver, intake, cloud, area, caller }: CallParts,
): AppCall {
  const { message, clientAddress } = request
  const { path, query } = splitUrl(message.url!)
  const bytes = (maxBytes: number): Promise<Buffer> => bodyOf(request, maxBytes, intake)
  return {
    app,
    cloud,
    caller,
    method: message.method!,
    path: path.slice(area.prefix.length),
    query: new URLSearchParams(query),
    headers: message.headers,
    message,
    isUpgrade: isUpgrade(request),
    clientAddress,
    baseUrl: baseUrlOf(app, request, cloud),
    language,
    requestId,
    gone: gone.signal,
    bytes,
    ...uploadsOf(receiver, request),
    async json(maxBytes) {
      requireJson(message.headers['content-type'])
      return parseJson(await bytes(maxBytes), maxBytes)
    },
  }
}

/** Bodies that take long to arrive; their files on the disk are deleted when the request ends. */
function uploadsOf(
  { spool, config, log }: CallParts['receiver'],
  { message, response, timeLimit }: AppsRequest,
): Pick<AppCall, 'file' | 'form' | 'stream'> {
  const deleteWhenAnswered = (files: readonly AsyncDisposable[]): void => {
    for (const file of files) {
      const drop = () =>
        void Promise.resolve(file[Symbol.asyncDispose]()).catch((error: unknown) =>
          log.warn({ err: error }, 'a file stays in the spool'),
        )
      if (response.closed) drop()
      else response.once('close', drop)
    }
  }
  return {
    async file(maxBytes) {
      timeLimit?.cancel()
      const file = await readToDisk(message, maxBytes, spool)
      deleteWhenAnswered([file])
      return file
    },
    async form(spec) {
      timeLimit?.cancel()
      const form = await readUpload(message, spec, { spool, config })
      deleteWhenAnswered(form.files)
      return form
    },
    stream() {
      timeLimit?.cancel()
      return message
    },
  }
}

/** The path as it came, without query and without a fragment, which no client sends. */
export function splitUrl(url: string): { path: string; query: string } {
  const end = url.search(/[?#]/)
  return end === -1
    ? { path: url, query: '' }
    : { path: url.slice(0, end), query: url.slice(end + 1).split('#', 1)[0]! }
}

/** Reads a body; the memory that it reserves is free again when the request ends. */
async function bodyOf(
  { message, response }: AppsRequest,
  maxBytes: number,
  intake: BodyMemory,
): Promise<Buffer> {
  using _turn = await intake.large.turn(Number(message.headers['content-length'] ?? 0))
  const { bytes, slot } = await readBody(message, maxBytes, intake)
  if (response.closed) slot.release()
  else response.once('close', () => slot.release())
  return bytes
}

/** Types that programs name for JSON text; other types, which browsers and forms send, are none. */
const jsonTypes = /^\s*(?:application\/(?:[\w.+-]{1,100}\+)?json|text\/plain)\s*(?:;|$)/i

function requireJson(type: string | undefined): void {
  if (type !== undefined && !jsonTypes.test(type))
    fail('INVALID_REQUEST', { why: reasons.notJson }, { param: 'Content-Type' })
}

/** The path form keeps the name by which the app has reached this machine. */
function baseUrlOf(
  { config }: Pick<AppCallApp, 'config'>,
  { pathPrefix, secure, message }: AppsRequest,
  { ref }: LiveCloud,
): string {
  if (pathPrefix === '') return cloudUrl(config, ref)
  return `${secure ? 'https' : 'http'}://${message.headers.host}${pathPrefix}`
}
