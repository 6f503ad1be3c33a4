/** The address of the second listener, and the domains of sites and clouds. */
import { isIP } from 'node:net'
import { domainToASCII } from 'node:url'
import {
  type ProcessSettings,
  refusals,
  refuseConfig,
  refuseVariable,
  type Sentence,
  variableSection,
} from '#platform/config'

declare module '#platform/config' {
  interface Settings {
    apps: AppsConfig
  }
}

export interface AppsConfig {
  /** False if the operator wants no second listener. */
  listens: boolean
  /** The port; 0 lets the system choose. */
  port: number
  /** True if the operator named the port: then the start fails if the port is taken. */
  portNamed: boolean
  /** The domain of sites, which are `<slug>.<domain>`; without one they are `<slug>.localhost`. */
  domain: string | undefined
  /** The domain of clouds; without one they are `<ref>.localhost`. */
  cloudDomain: string | undefined
  /** True if the listener of the API serves both zones and tells them apart by the host. */
  sharedPort: boolean
}

/** The domains that are configured; everything below them is served by the second listener. */
export const domainsOf = ({ domain, cloudDomain }: AppsConfig): string[] =>
  [domain, cloudDomain].filter((one) => one !== undefined)

export const apps = variableSection({
  name: 'apps',
  variables: [
    {
      name: 'KHERAD_APPS_PORT',
      about: {
        en: 'The port of the second listener, which serves sites and clouds; without it KHERAD_PORT + 1; off for none. With a domain it may be KHERAD_PORT itself.',
        fa: 'درگاه شنوندهٔ دوم که سایت‌ها و بک‌اندها را می‌دهد؛ در نبودش KHERAD_PORT به‌علاوهٔ یک؛ off یعنی هیچ. با دامنه می‌تواند خود KHERAD_PORT باشد.',
      },
    },
    {
      name: 'KHERAD_APPS_DOMAIN',
      about: {
        en: 'The domain of sites, each <slug>.<domain>; without it <slug>.localhost. Neither the host of KHERAD_BASE_URL nor above or below it.',
        fa: 'دامنهٔ سایت‌ها، هر یک <slug>.<دامنه>؛ در نبودش <slug>.localhost. نه میزبان KHERAD_BASE_URL است و نه بالا یا پایین آن.',
      },
    },
    {
      name: 'KHERAD_CLOUD_DOMAIN',
      about: {
        en: 'The domain of clouds, each <ref>.<domain>; without it <ref>.localhost. Apart from that of sites and from the host of KHERAD_BASE_URL.',
        fa: 'دامنهٔ بک‌اندها، هر یک <ref>.<دامنه>؛ در نبودش <ref>.localhost. جدا از دامنهٔ سایت‌ها و از میزبان KHERAD_BASE_URL.',
      },
    },
  ],
  read: (variable, processSettings) => {
    const domain = readDomain('KHERAD_APPS_DOMAIN', variable('KHERAD_APPS_DOMAIN'), processSettings)
    const cloudDomain = readDomain('KHERAD_CLOUD_DOMAIN', variable('KHERAD_CLOUD_DOMAIN'), processSettings)
    if (domain !== undefined && cloudDomain !== undefined && areRelated(domain, cloudDomain))
      refuseConfig(
        refusals.conflict('KHERAD_CLOUD_DOMAIN', related(cloudDomain, 'KHERAD_APPS_DOMAIN', domain)),
      )
    const typed = variable('KHERAD_APPS_PORT')
    const port = readPort(typed, processSettings)
    const sharedPort = typed !== undefined && port !== 0 && port === processSettings.port
    if (sharedPort && (domain === undefined || !processSettings.baseUrlNamed))
      refuseConfig(refusals.conflict('KHERAD_APPS_PORT', needsDomain))
    return {
      listens: typed !== 'off',
      port,
      portNamed: typed !== undefined && typed !== 'off',
      domain,
      cloudDomain,
      sharedPort,
    }
  },
})

const highestPort = 65_535

function readPort(typed: string | undefined, processSettings: ProcessSettings): number {
  // No port is above the highest, so the one below it is used.
  if (typed === undefined || typed === 'off')
    return processSettings.port === 0
      ? 0
      : processSettings.port === highestPort
        ? processSettings.port - 1
        : processSettings.port + 1
  const port = /^\d{1,5}$/.test(typed) ? Number(typed) : Number.NaN
  if (port <= highestPort) return port
  return refuseVariable('KHERAD_APPS_PORT', typed, {
    en: 'a port number within 0 … 65535, or off',
    fa: 'شماره‌ی درگاهی در بازه‌ی ۰ … ۶۵۵۳۵، یا off',
  })
}

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** The longest label (63) and a dot stand before the domain, and a name has at most 253 characters. */
const maxDomainLength = 253 - 64

/**
 * Returns the domain in small letters and Punycode, without the dot of the root. Refuses what is no domain, and a domain related to that of the base
 * URL.
 */
function readDomain(
  name: string,
  typed: string | undefined,
  processSettings: ProcessSettings,
): string | undefined {
  if (typed === undefined) return undefined
  // `domainToASCII` would silently drop everything beyond the name, so such texts are refused here.
  const domain = /[\s/\\?#@:[\]%]/.test(typed) ? '' : domainToASCII(typed).replace(/\.$/, '')
  const labels = domain.split('.')
  const isDomain =
    domain.length <= maxDomainLength &&
    isIP(domain) === 0 &&
    labels.every((one) => label.test(one)) &&
    // A whole top-level domain is shared with everybody, so it is refused; `localhost` belongs to this machine alone.
    (labels.length > 1 || domain === 'localhost')
  if (!isDomain) refuseVariable(name, typed, expected)
  const base = new URL(processSettings.baseUrl).hostname.replace(/\.$/, '')
  if (areRelated(domain, base))
    refuseConfig(refusals.conflict(name, related(domain, 'KHERAD_BASE_URL', base)))
  return domain
}

const expected: Sentence = {
  en: 'the name of a domain without protocol and port, such as apps.example.org',
  fa: 'نام دامنه‌ای بی‌پروتکل و درگاه، مانند apps.example.org',
}

/** Whether the two are equal or one is above the other: pages of one could then plant cookies for the other. */
const areRelated = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`)

const related = (domain: string, other: string, otherHost: string): Sentence => ({
  en: `is ${domain}, which is the host of ${other} (${otherHost}), above or below it: pages of strangers could then reach its cookies, so write a domain of its own, such as apps.example.net`,
  fa: `برابر ${domain} است که همان میزبان ${other} ‏(${otherHost})، بالای آن یا زیر آن است: صفحه‌های دیگران به کوکی‌های آن می‌رسند، پس دامنه‌ی جداگانه‌ای بنویسید، مانند apps.example.net`,
})

const needsDomain: Sentence = {
  en: 'is the port of the API: on one port the two are told apart by their hosts, so set KHERAD_APPS_DOMAIN and KHERAD_BASE_URL too, or write another port',
  fa: 'همان درگاه API است: روی یک درگاه این دو با میزبانشان از هم شناخته می‌شوند، پس KHERAD_APPS_DOMAIN و KHERAD_BASE_URL را هم تعیین کنید یا درگاه دیگری بنویسید',
}
