/** Calls the documented routes of this server, as the person who is signed in. */
import { locale } from '../words/locale.ts'
import { ApiError } from './api-error.ts'
import { whenAnswered } from './ask.ts'
import type { Operations } from './operations.ts'
import { project } from './project.ts'
import { noteSignedIn } from './session-hint.ts'

export type OperationName = keyof Operations
export type Reply<Name extends OperationName> = Operations[Name]['reply']
export type Body<Name extends OperationName> = Operations[Name]['body']

type Part<
  Name extends OperationName,
  Key extends 'params' | 'query' | 'body',
> = Operations[Name][Key] extends undefined
  ? { [K in Key]?: undefined }
  : Record<string, never> extends Operations[Name][Key]
    ? { [K in Key]?: Operations[Name][Key] }
    : { [K in Key]: Operations[Name][Key] }

export type Input<Name extends OperationName> = Part<Name, 'params'> &
  Part<Name, 'query'> &
  Part<Name, 'body'> &
  CallOptions

interface CallOptions {
  signal?: AbortSignal
  idempotencyKey?: string
  /** The id of the project that the call is about, where it is another one than that of the pages. */
  project?: string
  /** The request goes on when the page is left meanwhile, as that of a change whose time to be undone ends so. */
  keepalive?: boolean
}

type Arguments<Name extends OperationName> =
  Record<string, never> extends Omit<Input<Name>, keyof CallOptions>
    ? [input?: Input<Name>]
    : [input: Input<Name>]

/**
 * Calls an operation by its method and path. Throws ApiError for a refusal, TypeError where the server cannot be reached. Where the session has ended or
 * the route asks for a recent factor, the shell asks the person in a dialog and the same call is made once more, so that what they have typed is kept.
 * Throws StepUpStopped, of which pages show nothing, where the person closes the dialog of the factor; the refusal where they do not sign in again.
 */
export async function call<Name extends OperationName>(
  name: Name,
  ...[input]: Arguments<Name>
): Promise<Reply<Name>> {
  return await whenAnswered(() => callOnce(name, input ?? {}))
}

interface LooseInput extends CallOptions {
  params?: object | undefined
  query?: object | undefined
  body?: unknown
}

async function callOnce<Name extends OperationName>(name: Name, input: LooseInput): Promise<Reply<Name>> {
  const [method = 'GET', template = '/'] = name.split(' ')
  const response = await fetch(addressOf(template, input), {
    method,
    credentials: 'same-origin',
    headers: headersOf(input),
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    ...(input.signal && { signal: input.signal }),
    ...(input.keepalive && { keepalive: true }),
  })
  const text = await response.text()
  const value: unknown = text === '' ? undefined : JSON.parse(text)
  if (!response.ok) throw refusalOf(response, value)
  if ((value as { status?: unknown } | undefined)?.status === 'signed_in') noteSignedIn()
  return value as Reply<Name>
}

/** The path with its parameters, and the query; what is undefined is left out. */
export function addressOf(template: string, { params = {}, query = {} }: LooseInput): string {
  const values = params as Record<string, unknown>
  const path = template.replace(/\{([^{}]+)\}/g, (_whole, key: string) =>
    encodeURIComponent(String(values[key])),
  )
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(pairs.map(([key, value]) => [key, String(value)])).toString()
  return search === '' ? path : `${path}?${search}`
}

function headersOf({
  body,
  idempotencyKey,
  project: projectId = project(),
}: LooseInput): Record<string, string> {
  return {
    accept: 'application/json',
    'accept-language': locale(),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(projectId !== undefined && { 'x-kherad-project': projectId }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  }
}

interface ErrorBody {
  request_id?: string
  error?: { code?: string; message?: string; param?: string; details?: Record<string, unknown> }
}

export function refusalOf(response: Response, value: unknown): Error {
  const { error, request_id: requestId } = (value ?? {}) as ErrorBody
  if (typeof error?.code !== 'string' || typeof error.message !== 'string')
    return new SyntaxError(`The answer ${response.status} has no error.`)
  return new ApiError(
    response.status,
    { ...error, code: error.code, message: error.message },
    requestId ?? response.headers.get('x-request-id') ?? undefined,
  )
}
