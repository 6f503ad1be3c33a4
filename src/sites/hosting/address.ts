/** Addresses of sites below the domain of all sites. They come from the configuration alone, never from a request. */
import { type AddressConfig, labelHost, labelUrl } from '#platform/apps'
import type { Config } from '#platform/config'

export const siteHost = ({ apps }: Pick<Config, 'apps'>, label: string): string =>
  labelHost(apps.domain, label)

/** The URL of a site: `https://label.domain`, without a slash at its end; `http://label.localhost:8081` if no domain is configured. */
export const siteUrl = (config: AddressConfig, label: string): string =>
  labelUrl(config, config.apps.domain, label)
