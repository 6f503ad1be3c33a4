import type { App } from '#app'
import { routesOf } from '#platform/http'

export const route = routesOf<App>()
