import { Type } from 'typebox'
import {
  type ConfigNode,
  fileSection,
  integerIn,
  readingRules,
  readUrl,
  refuseVariable,
  type Sentence,
  variableSection,
  webProtocols,
} from '#platform/config'
import type { OperatorPackage } from './compile/operator-packages.ts'
import { packageNames } from './compile/packages.ts'
import type { HostAddress } from './remote/host-address.ts'

declare module '#platform/config' {
  interface Settings {
    functions: FunctionsConfig
    functionsHost: FunctionsHostConfig
  }
}

/** How functions run. What a cloud may have of them stands with the limits of clouds. */
export interface FunctionsConfig {
  /** `unsafe_dev`: without a jail, on a machine where only the developer's own code runs. */
  mode: 'jailed' | 'unsafe_dev'
  /** The most processes of clouds that are kept at once; the one that was called longest ago makes way. */
  processes: number
  /** Packages that functions may import beside the platform's own, once they are installed. */
  packages: readonly OperatorPackage[]
  /** Separate hosts that run the functions; without any, functions run on this machine. */
  hosts: readonly HostAddress[]
}

const unsafePrefix = '[unsafe_dev] '

/** The prefix of every line of a function's logs. */
export const linePrefixOf = (mode: FunctionsConfig['mode']): string =>
  mode === 'unsafe_dev' ? unsafePrefix : ''

/** The prefix that a line already has: the mode of where it was written, which may be another machine. */
export const prefixIn = (message: string): string => (message.startsWith(unsafePrefix) ? unsafePrefix : '')

/** Settings of a host of functions, from its environment. */
export interface FunctionsHostConfig {
  key: string | undefined
  /** The port of the channel. */
  port: number
  apiUrl: string | undefined
  cloudsUrl: string | undefined
}

const channelKey: Sentence = {
  en: 'the key of the channel as kherad functions key makes it: 43 or more letters, digits and + / _ - =',
  fa: 'کلید کانال، همان که kherad functions key می‌سازد: ۴۳ حرف لاتین، رقم و نشانهٔ + / _ - = یا بیشتر',
}

const hostUrl: Sentence = {
  en: 'the address of the channel of a host of functions, such as https://10.0.0.7:8081',
  fa: 'نشانی کانال یک میزبان تابع‌ها، مانند https://10.0.0.7:8081',
}

const hostTwice: Sentence = {
  en: 'a host that is not named above it',
  fa: 'میزبانی که بالاتر نامش نیامده است',
}

const packageName: Sentence = {
  en: `the name of a package of npm, in small letters, that is none of the platform's own (${packageNames.join(', ')})`,
  fa: `نام بسته‌ای از npm با حروف کوچک که از بسته‌های خود سکو (${packageNames.join('، ')}) نباشد`,
}

const exactVersion: Sentence = {
  en: 'one exact version, such as 4.17.21',
  fa: 'یک نسخهٔ دقیق، مانند 4.17.21',
}

const packageTwice: Sentence = {
  en: 'a package that is not named above it',
  fa: 'بسته‌ای که بالاتر نامش نیامده است',
}

function checkPackageName(text: string, node: ConfigNode): void {
  if (packageNames.includes(text)) node.refuseValue(packageName)
}

function checkHostUrl(text: string, node: ConfigNode): void {
  const url = URL.parse(text)
  const isAddress = url?.protocol === 'https:' && url.port !== '' && url.origin === text.replace(/\/$/, '')
  if (!isAddress) node.refuseValue(hostUrl)
}

export const functions = fileSection({
  name: 'functions',
  schema: Type.Object(
    {
      mode: Type.Enum(['jailed', 'unsafe_dev'], {
        default: 'jailed',
        description:
          'jailed: functions run in a jail, and are refused where none can be built. unsafe_dev: without a jail, for a machine where only your own code runs.',
      }),
      processes: integerIn(1, 200, {
        default: 64,
        description: 'Processes of clouds that one process of this service keeps at once, some 12 MB each.',
      }),
      packages: Type.Array(
        Type.Object({
          name: Type.String({
            pattern: '^(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*$',
            maxLength: 214,
            ...readingRules({ expected: packageName, check: checkPackageName }),
          }),
          version: Type.String({
            pattern: '^\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(?:-[0-9A-Za-z.-]{1,100})?$',
            ...readingRules({ expected: exactVersion }),
          }),
        }),
        {
          default: [],
          maxItems: 50,
          description:
            'Packages that functions may import beside those of the platform; installed by `kherad functions packages install`, without running anything of them.',
        },
      ),
      hosts: Type.Array(
        Type.Object({
          url: Type.String({
            maxLength: 300,
            ...readingRules({ expected: hostUrl, check: checkHostUrl }),
          }),
          key: Type.String({
            pattern: '^[A-Za-z0-9_+/=-]{43,512}$',
            ...readingRules({ secret: true, expected: channelKey }),
          }),
        }),
        {
          default: [],
          maxItems: 64,
          description:
            'Hosts that run nothing but functions (kherad --role functions): where their channel listens, and its key. Without any, functions run beside this service.',
        },
      ),
    },
    // The short form `functions: unsafe_dev` is accepted, too.
    { default: {}, ...readingRules({ textMember: 'mode' }) },
  ),
  read: ({ mode, processes, packages, hosts }, { at }) => {
    for (const [index, { name }] of packages.entries())
      if (packages.findIndex((one) => one.name === name) < index)
        at('packages', index, 'name')?.refuseValue(packageTwice)
    for (const [index, { url }] of hosts.entries())
      if (hosts.findIndex((one) => one.url === url) < index) at('hosts', index, 'url')?.refuseValue(hostTwice)
    return { mode, processes, packages, hosts }
  },
})

/** The settings of a host of functions itself: it has nothing of the platform but the key of the channel. */
export const functionsHost = variableSection({
  name: 'functionsHost',
  variables: [
    {
      name: 'KHERAD_FUNCTIONS_KEY',
      secret: true,
      about: {
        en: 'The key of the channel between the API and a host of functions (--role functions); kherad functions key makes one.',
        fa: 'کلید کانال میان API و میزبان تابع‌ها (--role functions)؛ kherad functions key یکی می‌سازد.',
      },
    },
    {
      name: 'KHERAD_FUNCTIONS_PORT',
      about: {
        en: 'The port of that channel on a host of functions; without it KHERAD_PORT + 1.',
        fa: 'درگاه آن کانال روی میزبان تابع‌ها؛ در نبودش KHERAD_PORT به‌علاوهٔ یک.',
      },
    },
    {
      name: 'KHERAD_API_URL',
      about: {
        en: 'On a host of functions: the address inside the network at which functions reach the /v1 of this platform. Without it they reach it as everybody does.',
        fa: 'روی میزبان تابع‌ها: نشانی درون شبکه که تابع‌ها از آن به /v1 همین سکو می‌رسند. در نبودش مانند همه به آن می‌رسند.',
      },
    },
    {
      name: 'KHERAD_CLOUDS_URL',
      about: {
        en: 'On a host of functions: the address inside the network at which functions reach their own cloud, that of the second listener. Without it they reach it as everybody does.',
        fa: 'روی میزبان تابع‌ها: نشانی درون شبکه که تابع‌ها از آن به بک‌اند خود می‌رسند، یعنی نشانی شنوندهٔ دوم. در نبودش مانند همه به آن می‌رسند.',
      },
    },
  ],
  read: (variable, own) => {
    const key = variable('KHERAD_FUNCTIONS_KEY')
    if (key !== undefined && !/^[A-Za-z0-9_+/=-]{43,512}$/.test(key))
      refuseVariable('KHERAD_FUNCTIONS_KEY', undefined, channelKey)
    const [apiUrl, cloudsUrl] = (['KHERAD_API_URL', 'KHERAD_CLOUDS_URL'] as const).map((name) => {
      const typed = variable(name)
      return typed === undefined ? undefined : readUrl(name, typed, webProtocols)
    })
    return { key, port: readPort(variable('KHERAD_FUNCTIONS_PORT'), own.port), apiUrl, cloudsUrl }
  },
})

function readPort(typed: string | undefined, ownPort: number): number {
  if (typed === undefined) return ownPort === 0 || ownPort === 65_535 ? 0 : ownPort + 1
  const port = /^\d{1,5}$/.test(typed) ? Number(typed) : Number.NaN
  if (port <= 65_535) return port
  return refuseVariable('KHERAD_FUNCTIONS_PORT', typed, {
    en: 'a port number within 0 … 65535',
    fa: 'شماره‌ی درگاهی در بازه‌ی ۰ … ۶۵۵۳۵',
  })
}
