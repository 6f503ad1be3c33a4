/** The providers of the configuration, by their ids. */
import { Provider, type ProviderServices } from './provider.ts'
import type { OpenIdConfig } from './settings.ts'

export class OpenIdProviders {
  readonly #byId: ReadonlyMap<string, Provider>

  constructor(configs: readonly OpenIdConfig[], services: ProviderServices) {
    this.#byId = new Map(configs.map((config) => [config.id, new Provider(config, services)]))
  }

  find(id: string): Provider | undefined {
    return this.#byId.get(id)
  }
}

/** The page to which a provider sends people back. Each provider has its own, so that the answer of one is never taken for that of another. */
export const redirectUri = (baseUrl: string, providerId: string): string =>
  `${baseUrl}/sign-in/openid/${providerId}`
