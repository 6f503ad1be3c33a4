/** Addresses of clouds: a host for each, or a path at the machine's own name. They come from the configuration alone, never from a request. */
import { type AddressConfig, labelHost, labelUrl, type PathForm } from '#platform/apps'
import type { Config } from '#platform/config'

export const cloudHost = ({ apps }: Pick<Config, 'apps'>, ref: string): string =>
  labelHost(apps.cloudDomain, ref)

/** The URL of a cloud: `https://ref.domain`, without a slash at its end; `http://ref.localhost:8081` if no domain is configured. */
export const cloudUrl = (config: AddressConfig, ref: string): string =>
  labelUrl(config, config.apps.cloudDomain, ref)

/** The path form of clouds, `/_cloud/<ref>`, for programs whose resolver does not know `<ref>.localhost`. With a domain there is none. */
export const cloudPathForm = (config: Pick<Config, 'apps'>): PathForm | undefined =>
  config.apps.cloudDomain === undefined
    ? { prefix: '/_cloud', hostOf: (ref) => cloudHost(config, ref) }
    : undefined
