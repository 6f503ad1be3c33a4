import type { EnteringApp } from '#account/entering'
import type { FactorsApp } from '#account/factors'
import type { OpenIdApp } from '#account/openid'
import { routesOf } from '#platform/http'

/** The slice of the app that the routes of second factors use. */
export type FactorRoutesApp = FactorsApp & EnteringApp & Pick<OpenIdApp, 'openId'>

export const route = routesOf<FactorRoutesApp>()
