import type { PaidApp } from '#core/paid'
import { routesOf } from '#platform/http'

export const route = routesOf<PaidApp>()
