/** What stands in the query of the address: the filter, the tab, the open item. */
import { useRouter, useRouterState } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'

/** Members that are set; an empty text or undefined removes one. */
export type AddressChange = Readonly<Record<string, string | undefined>>

interface Address {
  read(name: string): string
  /** The address with these changes, for links. */
  href(change: AddressChange): string
  /**
   * Goes there. `isStep: false` replaces the entry of the history, as for what is being typed; otherwise Back leads to the state before. With
   * `keepsPlace` the page does not scroll to its top, as where something opens beside a list.
   */
  go(change: AddressChange, options?: { isStep?: boolean; keepsPlace?: boolean }): void
}

export function useAddress(): Address {
  const router = useRouter()
  const { pathname, searchStr: search } = useRouterState({ select: ({ location }) => location })
  const href = useCallback(
    (change: AddressChange): string => {
      const params = new URLSearchParams(search)
      for (const [name, value] of Object.entries(change)) {
        if (value === undefined || value === '') params.delete(name)
        else params.set(name, value)
      }
      return params.size === 0 ? pathname : `${pathname}?${params}`
    },
    [pathname, search],
  )
  return useMemo(() => {
    const params = new URLSearchParams(search)
    return {
      read: (name) => params.get(name) ?? '',
      href,
      go: (change, { isStep = true, keepsPlace = false } = {}) => {
        if (keepsPlace) void router.navigate({ href: href(change), replace: !isStep, resetScroll: false })
        else if (isStep) router.history.push(href(change))
        else router.history.replace(href(change))
      },
    }
  }, [router, search, href])
}
