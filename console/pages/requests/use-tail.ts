import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { pageSize, type RequestPages, type RequestQuery, requestsKey, rowsOf, withRows } from './queries.ts'
import { newsOf } from './tail.ts'

const beatMs = 4_000
/** Where the server does not answer, it is asked more and more seldom. */
const maxBeatMs = 60_000
/** Screen readers are told of news not more often. */
const announceMs = 15_000

export interface Tail {
  /** New calls that wait until the list is no longer read. */
  waiting: number
  /** More is new than one page holds: the list begins anew when it is shown. */
  isGap: boolean
  isFailing: boolean
  /** How many calls have come since screen readers were told last. */
  announced: number
  /** Shows what waits. */
  show(): void
}

interface TailOptions {
  isOn: boolean
  /** Whether somebody reads the rows at this moment, which then must not move. */
  isReading(): boolean
}

/** Reads the first page again and again while the page is seen, and puts what is new into the list. */
export function useTail(
  projectId: string | undefined,
  query: RequestQuery,
  { isOn, isReading }: TailOptions,
): Tail {
  const queries = useQueryClient()
  const name = JSON.stringify(requestsKey(projectId, query))
  const [state, setState] = useState({ waiting: 0, isGap: false, isFailing: false, announced: 0 })
  const reading = useRef(isReading)
  reading.current = isReading
  const told = useRef({ atMs: 0, count: 0 })

  // biome-ignore lint/correctness/useExhaustiveDependencies: `name` is the text of the project and the query.
  const read = useCallback(
    async (signal: AbortSignal | undefined, mayMove: boolean): Promise<void> => {
      const page = await call('GET /v1/requests', {
        query: { ...query, limit: pageSize },
        ...(signal && { signal }),
      })
      const key = requestsKey(projectId, query)
      const data = queries.getQueryData<RequestPages>(key)
      if (!data || signal?.aborted) return
      const news = newsOf(rowsOf(data), page)
      const isHeld = !mayMove && reading.current()
      if (isHeld) queries.setQueryData(key, withRows(data, news.inPlace))
      else if (news.isGap) queries.setQueryData(key, { pages: [page], pageParams: [undefined] })
      else queries.setQueryData(key, withRows(data, news.merged))
      const announced = announce(told.current, news.count, isHeld)
      setState((before) => ({
        waiting: isHeld ? news.count : 0,
        isGap: isHeld && news.isGap,
        isFailing: false,
        announced: announced ?? before.announced,
      }))
    },
    [queries, name],
  )

  useEffect(() => {
    if (!isOn) return
    return repeat(read, () => setState((before) => ({ ...before, isFailing: true })))
  }, [isOn, read])
  // What waited was of the list before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another list has another name.
  useEffect(() => setState({ waiting: 0, isGap: false, isFailing: false, announced: 0 }), [name])

  const show = (): void => {
    read(undefined, true).catch(() => setState((before) => ({ ...before, isFailing: true })))
  }
  return { ...state, show }
}

/** Counts what is new, and returns how many are told now; undefined while it is too early. What waits is counted by the list itself. */
function announce(told: { atMs: number; count: number }, count: number, isHeld: boolean): number | undefined {
  told.count = isHeld ? Math.max(told.count, count) : told.count + count
  const nowMs = performance.now()
  if (told.count === 0 || (told.atMs > 0 && nowMs - told.atMs < announceMs)) return undefined
  const announced = told.count
  told.atMs = nowMs
  told.count = 0
  return announced
}

/** Repeats a reading with a pause between; stops while the page is hidden, and goes on at once when it is seen again. Returns what ends it. */
function repeat(
  read: (signal: AbortSignal, mayMove: boolean) => Promise<void>,
  onFailure: () => void,
): () => void {
  const ended = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let pauseMs = beatMs
  let isRunning = false
  const run = async (): Promise<void> => {
    if (isRunning || document.hidden) return
    isRunning = true
    try {
      await read(ended.signal, false)
      pauseMs = beatMs
    } catch (error) {
      if (ended.signal.aborted) return
      // Whoever was asked to sign in again, and has not, is not asked at every beat.
      const isSignedOut = error instanceof ApiError && error.status === 401
      pauseMs = isSignedOut ? maxBeatMs : Math.min(maxBeatMs, pauseMs * 2)
      onFailure()
    } finally {
      isRunning = false
    }
    if (!ended.signal.aborted) plan()
  }
  const plan = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void run(), pauseMs)
  }
  const onSeen = (): void => {
    clearTimeout(timer)
    if (!document.hidden) void run()
  }
  document.addEventListener('visibilitychange', onSeen)
  plan()
  return () => {
    ended.abort()
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', onSeen)
  }
}
