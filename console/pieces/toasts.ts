/** The messages at the edge of the page. What they say can be undone for 10 s where they have an `undo`. */

export interface Toast {
  id: number
  text: string
  kind: 'good' | 'failure'
  undo?: (() => void) | undefined
}

export const undoMs = 10_000
const plainMs = 5_000

let toasts: readonly Toast[] = []
let lastId = 0
const listeners = new Set<() => void>()
const ends = new Map<number, () => void>()

export const currentToasts = (): readonly Toast[] => toasts

export function subscribeToasts(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function set(next: readonly Toast[]): void {
  toasts = next
  for (const listener of listeners) listener()
}

interface ToastOptions {
  kind?: Toast['kind']
  /** Takes back what was shown as done; nothing is sent before the time is over. */
  undo?: () => void
  /** Called once when the message goes without having been undone: at its end, when it is closed, and when the page is left. */
  onEnd?: () => void
}

/** Shows a message. Where it can be undone, the change itself belongs in `onEnd`. */
export function showToast(text: string, { kind = 'good', undo, onEnd }: ToastOptions = {}): void {
  lastId += 1
  const id = lastId
  const timer = setTimeout(() => closeToast(id), undo ? undoMs : plainMs)
  ends.set(id, () => {
    clearTimeout(timer)
    onEnd?.()
  })
  const taken =
    undo &&
    ((): void => {
      clearTimeout(timer)
      ends.delete(id)
      set(toasts.filter((one) => one.id !== id))
      undo()
    })
  set([...toasts.slice(-2), { id, text, kind, undo: taken }])
  for (const known of ends.keys()) if (!toasts.some((one) => one.id === known)) end(known)
}

function end(id: number): void {
  const run = ends.get(id)
  ends.delete(id)
  run?.()
}

export function closeToast(id: number): void {
  end(id)
  set(toasts.filter((one) => one.id !== id))
}

/** Carries out what still could have been undone; called when the page is left. */
export function endToasts(): void {
  for (const id of [...ends.keys()]) end(id)
  set([])
}
