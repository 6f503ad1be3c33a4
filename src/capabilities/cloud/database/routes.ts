import type { Route } from '#platform/http'

export const databaseRoutes: Route[] = []
