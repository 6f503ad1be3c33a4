import { useEffect, useRef } from 'react'

/** ⌘ or Ctrl with a letter, by the place of the key, so that it works while the keyboard writes Persian. */
export function useShortcut(letter: string, run: () => void): void {
  const latest = useRef(run)
  latest.current = run
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.metaKey || event.ctrlKey) || event.shiftKey || event.altKey) return
      if (event.code !== `Key${letter.toUpperCase()}` && event.key.toLowerCase() !== letter) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [letter])
}
