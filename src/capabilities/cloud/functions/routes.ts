import type { Route } from '#platform/http'

export const functionRoutes: Route[] = []
