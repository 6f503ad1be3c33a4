import { type RefObject, useEffect, useRef, useState } from 'react'

interface Disclosure {
  isOpen: boolean
  setOpen(isOpen: boolean): void
  /** The element that holds the button and what it opens. */
  ref: RefObject<HTMLDivElement | null>
}

/** What a button opens below it: it closes by Escape, which gives the focus back, and by a click or a focus elsewhere. */
export function useDisclosure(): Disclosure {
  const [isOpen, setOpen] = useState(false)
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const onOutside = (event: Event): void => {
      if (event.target instanceof Node && !ref.current?.contains(event.target)) setOpen(false)
    }
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return
      setOpen(false)
      ref.current?.querySelector('button')?.focus()
    }
    document.addEventListener('pointerdown', onOutside)
    document.addEventListener('focusin', onOutside)
    document.addEventListener('keydown', onKey)
    return () => {
      document.removeEventListener('pointerdown', onOutside)
      document.removeEventListener('focusin', onOutside)
      document.removeEventListener('keydown', onKey)
    }
  }, [isOpen])
  return { isOpen, setOpen, ref }
}
