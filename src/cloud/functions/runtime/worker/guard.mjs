/**
 * The first module of every worker: it runs before any code of the function, keeps what the wrapper needs of the language and of the runtime, and
 * gives functions what they find elsewhere (`Deno`, a console whose lines bear their call). Whatever a function then does to globals and prototypes
 * does not reach the wrapper.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect } from 'node:util'
import name from './name.mjs'

const { apply, get: getOf } = Reflect
const bindCall = (method) => Function.prototype.call.bind(method)

const storage = new AsyncLocalStorage()
export const runIn = storage.run.bind(storage)
export const currentCall = storage.getStore.bind(storage)

export const call = apply
export const read = getOf
export const isPromise = (
  (kind) => (value) =>
    value instanceof kind
)(Promise)
export const headerOf = bindCall(Headers.prototype.get)
export const setHeader = bindCall(Headers.prototype.set)
export const deleteHeader = bindCall(Headers.prototype.delete)
const headersOf = bindCall(Object.getOwnPropertyDescriptor(Request.prototype, 'headers').get)
const answerHeadersOf = bindCall(Object.getOwnPropertyDescriptor(Response.prototype, 'headers').get)
export const requestHeaders = headersOf
export const responseHeaders = answerHeadersOf
/** The body of a request or an answer, which have it of a prototype that they share; null where there is none. */
export const bodyOf = bindCall(
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Request.prototype), 'body').get,
)
export const tee = bindCall(ReadableStream.prototype.tee)
export const pipeTo = bindCall(ReadableStream.prototype.pipeTo)
export const closeStream = bindCall(WritableStream.prototype.close)
export const readerOf = bindCall(ReadableStream.prototype.getReader)
export const readInto = bindCall(ReadableStreamBYOBReader.prototype.read)
export const cancelReader = bindCall(ReadableStreamBYOBReader.prototype.cancel)
export const KeptBytes = Uint8Array
export const KeptPassage = IdentityTransformStream
export const firstOf = Promise.race.bind(Promise)
export const asPromise = Promise.resolve.bind(Promise)
export const onSettled = bindCall(Promise.prototype.then)
export const pause = (
  (later, Kept) => (ms) =>
    new Kept((resolve) => later(resolve, ms))
)(setTimeout, Promise)
/** Resolves when all work is done that waits for nothing. */
export const idle = () => pause(0)
export const KeptHeaders = Headers
export const KeptRequest = Request
export const KeptResponse = Response
export const KeptError = Error
export const stringify = JSON.stringify
/** The status of an answer. It throws where a value is no Response, by the runtime's own mark, which no prototype can forge. */
export const statusOf = bindCall(Object.getOwnPropertyDescriptor(Response.prototype, 'status').get)
/** Whether a value is a Response. */
export const isAnswer = (value) => {
  try {
    statusOf(value)
    return true
  } catch {
    return false
  }
}

const print = console.log.bind(console)
const slice = bindCall(String.prototype.slice)
const asText = String

/** The most characters of one line; a longer one is cut. */
const longest = 8_000
const inspecting = {
  __proto__: null,
  depth: 4,
  maxArrayLength: 100,
  maxStringLength: longest,
  breakLength: 120,
}

const shown = (value) => {
  if (typeof value === 'string') return slice(value, 0, longest)
  try {
    return inspect(value, inspecting)
  } catch {
    return '[?]'
  }
}

/** Writes one line for the platform: JSON behind a character that starts no other line. */
export const write = (level, message) => {
  const cut = message.length > longest ? `${slice(message, 0, longest)}…` : message
  print(
    `\u0001${stringify({ __proto__: null, level, message: cut, call: currentCall()?.id ?? null, of: name })}`,
  )
}

const writer =
  (level) =>
  (...values) => {
    let message = ''
    for (let at = 0; at < values.length && message.length <= longest; at++)
      message += (at === 0 ? '' : ' ') + shown(values[at])
    write(level, message)
  }

const levels = {
  debug: 'debug',
  trace: 'debug',
  log: 'info',
  info: 'info',
  dir: 'info',
  table: 'info',
  warn: 'warn',
  error: 'error',
}
for (const method in levels) console[method] = writer(levels[method])
console.assert = (holds, ...values) => holds || console.error('Assertion failed', ...values)
for (const method of [
  'group',
  'groupCollapsed',
  'groupEnd',
  'time',
  'timeEnd',
  'timeLog',
  'count',
  'countReset',
  'clear',
])
  console[method] = () => {}

/** Every request that a function sends says which call sends it; the broker counts and judges by it. */
export const send = globalThis.fetch.bind(globalThis)
export const invocationHeader = 'x-kherad-invocation'
globalThis.fetch = function fetch(input, options) {
  const id = currentCall()?.invocation
  if (id === undefined) return send(input, options)
  const request = new KeptRequest(input, options)
  const marked = new KeptHeaders(headersOf(request))
  setHeader(marked, invocationHeader, id)
  return send(new KeptRequest(request, { __proto__: null, headers: marked }))
}

let served
export const servedHandler = () => served

const register = (first, second) => {
  served = typeof first === 'function' ? first : (second ?? first?.handler)
  return {
    __proto__: null,
    finished: new Promise(() => {}),
    shutdown: async () => {},
    ref() {},
    unref() {},
    addr: { transport: 'tcp', hostname: '0.0.0.0', port: 8000 },
  }
}

export const setEnvironment = (env) => {
  const values = { __proto__: null }
  for (const key in env) if (typeof env[key] === 'string') values[key] = env[key]
  environment = values
}
let environment = { __proto__: null }

globalThis.Deno = {
  serve: register,
  env: {
    get: (key) => environment[asText(key)],
    has: (key) => asText(key) in environment,
    toObject: () => ({ ...environment }),
    set: (key, value) => {
      environment[asText(key)] = asText(value)
    },
    delete: (key) => {
      delete environment[asText(key)]
    },
  },
  version: { deno: '2.0.0', v8: '', typescript: '' },
  build: { os: 'linux', arch: 'x86_64' },
  args: [],
}

addEventListener('unhandledrejection', (event) =>
  write('error', `Unhandled rejection: ${shown(event.reason)}`),
)
export const explain = shown
