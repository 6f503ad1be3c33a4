import { type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useAddress } from '../../shell/use-address.ts'
import { linkId } from './list.tsx'

interface Open {
  /** The call that is open; empty where none is. */
  openId: string
  /** Whether it was opened on the page, and not by the address with which the page began. */
  hasMoved: boolean
  open(id: string): void
  close(): void
}

/** The call that is open beside the list, by the address. Where there is no room beside it, the list gives way and comes back at its place. */
export function useOpen(list: RefObject<HTMLElement | null>): Open {
  const address = useAddress()
  const openId = address.read('open')
  const before = useRef({ openId, top: 0 })
  const [first] = useState(openId)
  const [hasMoved, setMoved] = useState(false)
  if (!hasMoved && openId !== first) setMoved(true)
  useLayoutEffect(() => {
    const { openId: was, top } = before.current
    before.current.openId = openId
    if (was === openId) return
    const isAway = list.current?.getClientRects().length === 0
    if (isAway) scrollTo({ top: 0 })
    if (openId !== '') return
    if (top > 0) scrollTo({ top })
    before.current.top = 0
    document.getElementById(linkId(was))?.focus({ preventScroll: true })
  }, [openId, list])
  return {
    openId,
    hasMoved,
    open: (id) => {
      if (openId === '') before.current.top = scrollY
      address.go({ open: id }, { keepsPlace: true })
    },
    close: () => {
      // The place beside a pane is where the list stands now.
      if (list.current?.getClientRects().length !== 0) before.current.top = 0
      address.go({ open: '' }, { keepsPlace: true })
    },
  }
}
