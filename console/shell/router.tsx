import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { PageFailed, PageNotFound, PagePending } from './page-states.tsx'
import { pages } from './pages.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({
  component: Shell,
  notFoundComponent: PageNotFound,
  errorComponent: PageFailed,
})

const routes = pages.map(({ path, load }) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) }),
)

export const router = createRouter({
  routeTree: root.addChildren(routes),
  defaultPreload: 'intent',
  defaultPendingComponent: PagePending,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
})
