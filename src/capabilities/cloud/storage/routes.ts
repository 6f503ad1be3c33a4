import type { Route } from '#platform/http'

export const storageRoutes: Route[] = []
