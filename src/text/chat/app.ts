import type { ModelRequestApp } from '#core/text'
import { routesOf } from '#platform/http'

export const route = routesOf<ModelRequestApp>()
