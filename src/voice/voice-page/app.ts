import { routesOf } from '#platform/http'

/** The page uses nothing of the app; its prepared files are kept for each app. */
export const route = routesOf<object>()
