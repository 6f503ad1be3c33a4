import type { KeyboardEvent } from 'react'

/** The keys of a list of tabs: arrows in the direction of reading, Home and End. The chosen tab gets the focus. */
export function tabKeys(shown: number, count: number, show: (at: number) => void) {
  return (event: KeyboardEvent<HTMLElement>): void => {
    const isRtl = getComputedStyle(event.currentTarget).direction === 'rtl'
    const steps: Record<string, number> = {
      ArrowLeft: shown + (isRtl ? 1 : -1),
      ArrowRight: shown + (isRtl ? -1 : 1),
      Home: 0,
      End: count - 1,
    }
    const next = steps[event.key]
    if (next === undefined) return
    event.preventDefault()
    const at = (next + count) % count
    show(at)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[at]?.focus()
  }
}
