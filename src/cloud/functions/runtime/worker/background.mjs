/**
 * Work that goes on after the answer of its call: what `waitUntil` was given. The platform keeps the call under way, with its place and its limits,
 * until all of it has ended; where the time of the call is over first, the rest of it ends.
 */
import {
  asPromise,
  bodyOf,
  call,
  cancelReader,
  currentCall,
  explain,
  invocationHeader,
  KeptBytes,
  KeptRequest,
  onSettled,
  pause,
  read,
  readerOf,
  readInto,
  runIn,
  send,
  statusOf,
  write,
} from './guard.mjs'

/** Marks the request whose answer stays open for as long as the call may go on. */
const backgroundHeader = 'x-kherad-background'

/** What is known of the work of one call. `native`: the context of the call as the runtime has it; what it is given has no end but its own. */
export const backgroundOf = (native) => ({
  __proto__: null,
  pending: 0,
  permit: undefined,
  keep: (work) => call(read(native, 'waitUntil'), native, [work]),
})

/** Asks that the call goes on. Resolves with the reader of the open answer; undefined where the call may not go on. */
const open = async (invocation) => {
  const headers = { __proto__: null, [invocationHeader]: invocation, [backgroundHeader]: '1' }
  const answer = await send(new KeptRequest('http://background.invalid/', { __proto__: null, headers }))
  return statusOf(answer) === 200 ? readerOf(bodyOf(answer), { __proto__: null, mode: 'byob' }) : undefined
}

const ignore = () => {}
const cancel = (reader) => onSettled(cancelReader(reader), ignore, ignore)

/** Resolves when the work has ended, or the platform ends it. */
const follow = async (state, permit) => {
  const { background } = state
  try {
    permit.reader = await permit.opened
    if (permit.reader !== undefined && !permit.isLeft) await readInto(permit.reader, new KeptBytes(1))
  } catch {}
  if (permit.isLeft) return permit.reader && cancel(permit.reader)
  background.permit = undefined
  if (background.pending > 0)
    runIn(
      state,
      write,
      'error',
      'What waitUntil was given did not end within the time of a call, and was ended.',
    )
}

/** How long a call goes on without work, so that one which begins work again and again does not ask each time. */
const lingerMs = 20

const ended = async ({ background }) => {
  background.pending--
  const { permit } = background
  if (background.pending === 0) await pause(lingerMs)
  if (background.pending > 0 || permit === undefined || background.permit !== permit) return
  background.permit = undefined
  permit.isLeft = true
  if (permit.reader !== undefined) cancel(permit.reader)
}

const rejection = (error) => `A promise of waitUntil was rejected: ${explain(error)}`

/** Keeps the call going until `work` has ended. A rejection becomes a line of the log. */
export const keepGoing = (state, work) => {
  const { background } = state
  const promise = asPromise(work)
  background.pending++
  if (background.permit === undefined) {
    const permit = { __proto__: null, opened: open(state.invocation), reader: undefined, isLeft: false }
    background.permit = permit
    background.keep(follow(state, permit))
  }
  onSettled(
    promise,
    () => ended(state),
    (error) => {
      runIn(state, write, 'error', rejection(error))
      ended(state)
    },
  )
}

/** Resolves when the platform knows that work goes on, so that it does not take the call for over with its answer. */
export const opened = async ({ background: { permit } }) => {
  try {
    await permit?.opened
  } catch {}
}

let isLoaded = false
/** From now on work may go on: while the code of a function is loaded, the runtime lets nothing wait for anything. */
export const setLoaded = () => {
  isLoaded = true
}

globalThis.EdgeRuntime = {
  /** Where no call is under way, as while code is loaded, nothing is kept going. */
  waitUntil(work) {
    const state = currentCall()
    if (isLoaded && state !== undefined) keepGoing(state, work)
    else onSettled(asPromise(work), ignore, (error) => write('error', rejection(error)))
    return work
  },
}
