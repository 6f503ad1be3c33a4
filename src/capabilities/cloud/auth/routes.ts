import type { Route } from '#platform/http'

export const authRoutes: Route[] = []
