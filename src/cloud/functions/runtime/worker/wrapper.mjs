/** The main module of every worker: it loads the function with its first call, hands it its calls, and marks what it answers. */
import { backgroundOf, keepGoing, opened, setLoaded } from './background.mjs'
import {
  bodyOf,
  call,
  closeStream,
  deleteHeader,
  explain,
  firstOf,
  headerOf,
  idle,
  invocationHeader,
  isAnswer,
  KeptBytes,
  KeptError,
  KeptHeaders,
  KeptPassage,
  KeptRequest,
  KeptResponse,
  pipeTo,
  read,
  readerOf,
  readInto,
  requestHeaders,
  responseHeaders,
  runIn,
  servedHandler,
  setEnvironment,
  setHeader,
  stringify,
  tee,
  write,
} from './guard.mjs'

const outcomeHeader = 'x-kherad-outcome'
const requestIdHeader = 'x-kherad-request'
const tryHeader = 'x-kherad-try'

let loading
let handler

const load = async (env) => {
  setEnvironment(env)
  const module = await import('./function.js')
  setLoaded()
  handler = handlerOf(read(module, 'default'))
  if (handler === undefined)
    throw new KeptError(
      'The function has no handler: write export default { fetch(request) { … } }, export default (request) => …, or Deno.serve((request) => …).',
    )
}

const loaded = (env) => {
  loading ??= load(env)
  return loading
}

const handlerOf = (exported) => {
  const served = servedHandler()
  if (typeof served === 'function')
    return (request) => served(request, { remoteAddr: { transport: 'tcp', hostname: '0.0.0.0', port: 0 } })
  if (typeof exported === 'function') return exported
  const fetch = exported === null || exported === undefined ? undefined : exported.fetch
  if (typeof fetch === 'function')
    return (request, env, context) => call(fetch, exported, [request, env, context])
  return undefined
}

const marked = (outcome, status, body) =>
  new KeptResponse(body, { __proto__: null, status, headers: { __proto__: null, [outcomeHeader]: outcome } })

/** Marks an answer; one whose headers may not be changed (that of a `fetch`) is replaced by a copy. */
const mark = (answer) => {
  try {
    setHeader(responseHeaders(answer), outcomeHeader, 'answered')
    return answer
  } catch {
    const copy = new KeptResponse(answer.body, answer)
    setHeader(responseHeaders(copy), outcomeHeader, 'answered')
    return copy
  }
}

const failed = (outcome, error) => {
  write('error', explain(error))
  return marked(outcome, 500, null)
}

/** What a function may do with its call; the runtime's own context would keep work going without an end. */
const contextOf = (state) => ({
  waitUntil: (work) => keepGoing(state, work),
  passThroughOnException() {},
  props: {},
})

const serve = async (request, env, state) => {
  try {
    await loaded(env)
  } catch (error) {
    return failed('not_loaded', error)
  }
  try {
    const answer = await handler(request, env, contextOf(state))
    if (isAnswer(answer)) return mark(answer)
    return failed('no_answer', new KeptError('The function returned no Response.'))
  } catch (error) {
    return failed('threw', error)
  }
}

/** Serves a call; its answer is given when the platform knows what goes on after it. */
const serveCall = async (request, env, state) => {
  const answer = await serve(request, env, state)
  await opened(state)
  return answer
}

/** Reads a body to its end, or until the caller leaves, always into the same memory. */
const drain = (body) => {
  const upload = { __proto__: null, isOver: false, over: undefined }
  const reader = readerOf(body, { __proto__: null, mode: 'byob' })
  const readAll = async () => {
    try {
      let { value, done } = await readInto(reader, new KeptBytes(16_384))
      while (!done) ({ value, done } = await readInto(reader, new KeptBytes(value.buffer)))
    } catch {}
    upload.isOver = true
  }
  upload.over = readAll()
  return upload
}

/**
 * The same answer, which ends no earlier than the body of its request has come. After an answer workerd closes a connection that still brings a body,
 * and a client that is still writing then learns of the closed connection and not of the answer.
 */
const endingAfter = async (upload, answer) => {
  if (!upload.isOver) await firstOf([upload.over, idle()])
  if (upload.isOver) return answer
  const body = bodyOf(answer)
  if (body !== null) return new KeptResponse(heldUntil(upload, body), answer)
  await upload.over
  return answer
}

/** Passes the same bytes on and ends them only after the upload; their errors reach whoever reads them. */
const heldUntil = (upload, body) => {
  const { readable, writable } = new KeptPassage()
  const pass = async () => {
    try {
      await pipeTo(body, writable, { __proto__: null, preventClose: true })
      await upload.over
      await closeStream(writable)
    } catch {}
  }
  pass()
  return readable
}

/** Answers whether the function loads; a new function is tried in this way before anybody calls it. */
const tryOut = async (env) => {
  try {
    await loaded(env)
    return marked('works', 200, null)
  } catch (error) {
    const { message, stack } = error instanceof KeptError ? error : { message: explain(error), stack: '' }
    return marked('not_loaded', 200, stringify({ __proto__: null, message: `${message}`, stack: `${stack}` }))
  }
}

export default {
  fetch(request, env, context) {
    const headers = new KeptHeaders(requestHeaders(request))
    const id = headerOf(headers, requestIdHeader)
    const invocation = headerOf(headers, invocationHeader)
    if (headerOf(headers, tryHeader) !== null) return tryOut(env)
    deleteHeader(headers, requestIdHeader)
    deleteHeader(headers, invocationHeader)
    const state = { __proto__: null, id, invocation, background: backgroundOf(context) }
    const body = bodyOf(request)
    if (body === null)
      return runIn(state, serveCall, new KeptRequest(request, { __proto__: null, headers }), env, state)
    // All of the body is read, however much of it the function reads, and however it does so.
    const [its, ours] = tee(body)
    const upload = drain(ours)
    const own = new KeptRequest(request, { __proto__: null, headers, body: its })
    return runIn(state, async () => endingAfter(upload, await serveCall(own, env, state)))
  },
}
