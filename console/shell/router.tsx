import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { PageFailed, PageNotFound, PagePending, reachServer } from './page-states.tsx'
import { pages } from './pages.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: PageNotFound,
  errorComponent: PageFailed,
})

/** Loads a chunk. Where it does not come and the server does not answer either, that is the failure, and not the chunk. */
const explained =
  <Module,>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch(async (error: unknown) => {
      await reachServer()
      throw error
    })

const routes = pages
  .flatMap((page) => [page, ...(page.below ?? [])])
  .map(({ path, load }) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(explained(load)) }),
  )

/** All of a query is text: as JSON `4.0` would become `4` while somebody types it, and `true` no text at all. */
const searchOf = (search: string): Record<string, string> => Object.fromEntries(new URLSearchParams(search))

function textOf(search: Record<string, unknown>): string {
  const pairs = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

export const router = createRouter({
  routeTree: root.addChildren(routes),
  parseSearch: searchOf,
  stringifySearch: textOf,
  defaultPreload: 'intent',
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
})
