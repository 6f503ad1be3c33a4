import { beforeEach, expect, test, vi } from 'vitest'
import { closeToast, currentToasts, endToasts, showToast, undoMs } from './toasts.ts'

beforeEach(() => {
  vi.useFakeTimers()
  endToasts()
  return () => vi.useRealTimers()
})

test('what can be undone happens after 10 s, once, and not at all if it is taken back', () => {
  const done: string[] = []
  showToast('removed', { undo: () => done.push('back'), onEnd: () => done.push('removed') })
  vi.advanceTimersByTime(undoMs - 1)
  expect(done).toEqual([])
  vi.advanceTimersByTime(1)
  expect(done).toEqual(['removed'])
  expect(currentToasts()).toEqual([])

  showToast('removed', { undo: () => done.push('back'), onEnd: () => done.push('never') })
  currentToasts()[0]!.undo!()
  vi.advanceTimersByTime(10 * undoMs)
  expect(done).toEqual(['removed', 'back'])
})

test('a message that is closed, pushed out by newer ones or left behind carries out its change', () => {
  const done: number[] = []
  for (const at of [1, 2, 3, 4]) showToast(String(at), { undo: () => {}, onEnd: () => done.push(at) })
  expect(done).toEqual([1])
  closeToast(currentToasts()[0]!.id)
  expect(done).toEqual([1, 2])
  endToasts()
  expect(done).toEqual([1, 2, 3, 4])
})
