import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readEnv } from '#platform/config'
import { StartRefused } from '#platform/errors'
import { loadConfig, variables } from '#settings'

const load = (file?: string, variables: Record<string, string> = {}) => loadConfig(readEnv(variables), file)

/** The message of the refusal in both languages. */
function refusal(file?: string, variables?: Record<string, string>): { en: string; fa: string } {
  try {
    load(file, variables)
  } catch (error) {
    if (error instanceof StartRefused) return { en: error.message, fa: error.fa ?? '' }
    throw error
  }
  throw new Error('the start was not refused')
}

const provider = '  - { id: acme, base_url: http://127.0.0.1:9000/v1/ }'
const model = (more: string) => `providers:
${provider}
models:
  - id: acme/fast
    deployments: [{ provider: acme, model: gpt-x }]
    context_length: 1000
    max_output_tokens: 100
    ${more}
`

test('a key that stands where it cannot is never repeated', () => {
  const entry = (more: string) => `providers:\n  - { id: a, ${more} }`
  for (const file of [
    entry('base_url: http://a, api_key: 1234567'),
    entry('base_url: "https://a/v1?key=1234567"'),
    entry('base_url: "https://me:1234567@a"'),
    entry('base_url: "me:1234567@a"'),
    'tools: { web_search: { vendor: brave, api_key: 1234567 } }',
    'storage: { s3: { endpoint: http://a, bucket: abc, access_key_id: id, secret_access_key: "1234567 x" } }',
  ]) {
    const { en, fa } = refusal(file)
    expect(en).toMatch(/is not usable: write/)
    expect(en + fa).not.toContain('1234567')
  }
})

test('what is empty or a list is called so in Persian too', () => {
  expect(refusal('providers:').fa).toBe('kherad.config.yaml:1: providers خالی است: یک فهرست بنویسید.')
  expect(refusal('- a').fa).toContain('kherad.config.yaml:1 یک فهرست است: ')
  expect(refusal('budgets: { thresholds_percent: 50 }').fa).toContain('thresholds_percent برابر "50" است')
})

test('a word after npm start that means nothing is refused, and one that does is taken', () => {
  const start = (...typed: string[]) => loadConfig(readEnv({}, typed))
  expect(start('--role', 'worker').roles).toEqual(start('--role=worker').roles)
  for (const typed of [['--rol', 'worker'], ['--role', 'api', '--port=9000'], ['worker'], ['--help']])
    expect(() => start(...typed)).toThrow(
      /means nothing to the start: remove it; it takes --role all, api, worker, voice or functions/,
    )
})

test('without a word from the operator everything has its documented default', () => {
  expect(load()).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    baseUrl: 'http://127.0.0.1:8080',
    dataDir: './data',
    workers: 1,
    locale: 'fa',
    providers: [],
    models: [],
    defaults: { creditsPerUsd: 1000, markup: 1, responsesMaxOutputTokens: 2048 },
    budgets: { thresholdsPercent: [50, 80, 100] },
    net: { allowedCidrs: [] },
  })
  expect(load('# nothing but a comment\n').models).toEqual([])
})

test('the environment gives the process its settings, empty counts as absent', () => {
  const config = load(undefined, {
    KHERAD_HOST: '0.0.0.0',
    KHERAD_PORT: '0',
    KHERAD_WORKERS: 'auto',
    KHERAD_LOCALE: 'en',
    KHERAD_BASE_URL: 'https://ai.example.org/',
    DATABASE_URL: 'postgres://kherad@db/kherad',
    KHERAD_BOOTSTRAP_KEY: `khr_${'a'.repeat(32)}`,
    OPENAI_API_KEY: '  ',
    GROQ_API_KEY: 'g',
    OLLAMA_HOST: '0.0.0.0',
  })
  expect(config).toMatchObject({ host: '0.0.0.0', port: 0, locale: 'en', baseUrl: 'https://ai.example.org' })
  expect(config.workers).toBeGreaterThanOrEqual(1)
  expect(config.vendors).toEqual({ groq: 'g', ollamaHost: 'http://127.0.0.1:11434' })
})

test.each([
  ['KHERAD_PORT', '70000'],
  ['KHERAD_PORT', 'http'],
  ['KHERAD_WORKERS', '0'],
  ['KHERAD_LOCALE', 'de'],
  ['KHERAD_LEASE_MS', '100'],
  ['KHERAD_LEASE_MS', '20 s'],
  ['KHERAD_LOG_LEVEL', 'loud'],
  ['KHERAD_BASE_URL', 'example.org'],
  ['DATABASE_URL', 'mysql://root:hunter2@db/x'],
  ['KHERAD_BOOTSTRAP_KEY', 'khr_hunter2'],
  ['KHERAD_SECRET', 'hunter2'.repeat(4)],
  ['OLLAMA_HOST', 'http://'],
])('%s=%s is refused by name in both languages, and no secret is repeated', (name, value) => {
  const { en, fa } = refusal(undefined, { [name]: value })
  expect(en).toMatch(new RegExp(`^${name} is .+: write .+\\.$`))
  expect(fa).toContain(name)
  expect(fa).toMatch(/[\u0600-\u06ff]/)
  expect(fa).not.toContain('not usable')
  expect(en + fa).not.toContain('hunter2')
})

test('the lease of a process is 20 s, beaten and swept four times in it; a named one keeps these shares', () => {
  expect(load().timing).toMatchObject({ processLeaseMs: 20_000, heartbeatMs: 5_000, sweepMs: 5_000 })
  const { timing } = load(undefined, { KHERAD_LEASE_MS: '1000' })
  expect(timing).toMatchObject({ processLeaseMs: 1_000, heartbeatMs: 250, sweepMs: 250 })
})

test('the documented example is read whole', () => {
  const config = load(
    `providers:
  - id: acme
    base_url: http://127.0.0.1:9000/v1
    api_key: \${ACME_KEY}
    dialects: [chat]
    timeouts: { connect_ms: 5000, first_byte_ms: 30000, first_token_ms: 12000, idle_ms: 20000, total_ms: 600000 }
    on_disconnect: drain
    takes_links: false
models:
  - id: acme/fast
    kind: text
    deployments:
      - { provider: acme, model: gpt-x, weight: 1, priority: 0 }
    fallbacks: [acme/backup]
    context_length: 128000
    max_output_tokens: 16384
    input_modalities: [text, image]
    features: [tools, json_schema, reasoning]
    reasoning: { supported_efforts: [low, medium, high] }
    pricing: { input_per_million: 1.0, output_per_million: 2.0, cached_input_per_million: 0.1, media_input: { input_per_million: 7 } }
defaults: { text_model: acme/fast, credits_per_usd: 1000, markup: 1.0 }
`,
    { ACME_KEY: 'secret' },
  )
  expect(config.providers[0]).toMatchObject({
    apiKey: 'secret',
    onDisconnect: 'drain',
    takesLinks: false,
    timeouts: { firstTokenMs: 12_000 },
  })
  expect(config.models[0]).toMatchObject({
    id: 'acme/fast',
    where: 'kherad.config.yaml:10: models[0]',
    supportedEfforts: ['low', 'medium', 'high'],
    pricing: {
      inputPerMillion: 1,
      outputPerMillion: 2,
      cachedInputPerMillion: 0.1,
      cacheWritePerMillion: 1,
      mediaInputPerMillion: 7,
    },
  })
})

test('what an entry leaves out has its default, and an address loses its last slash', () => {
  const { providers, models } = load(model(''))
  expect(providers[0]).toEqual({
    id: 'acme',
    baseUrl: 'http://127.0.0.1:9000/v1',
    dialects: ['chat'],
    timeouts: {
      connectMs: 5_000,
      firstByteMs: 30_000,
      firstTokenMs: 12_000,
      idleMs: 20_000,
      totalMs: 600_000,
    },
    onDisconnect: 'cancel',
    headers: {},
  })
  expect(models[0]).toMatchObject({
    deployments: [{ weight: 1, priority: 0 }],
    inputModalities: ['text'],
    features: [],
    fallbacks: [],
  })
  expect(models[0]).not.toHaveProperty('pricing')
})

describe('a wrong entry stops the start with file, line, path and how to fix it', () => {
  test.each<[string, string, RegExp]>([
    ['not YAML', 'providers: [', /^kherad\.config\.yaml:1: this is not valid YAML/],
    ['a key twice', 'defaults: {}\ndefaults: {}', /^kherad\.config\.yaml:2: this is not valid YAML/],
    [
      'a variable inside braces without quotes',
      'providers:\n  - { id: a, base_url: \x24{A} }',
      /^kherad\.config\.yaml:2: .*put quotes around/,
    ],
    ['not a mapping', '- a', /^kherad\.config\.yaml:1 is a list: write a mapping/],
    [
      'an unknown top entry',
      'quotas: {}',
      /^kherad\.config\.yaml:1: quotas is not a known entry: remove it, or write one of providers, models/,
    ],
    [
      'an unknown member',
      `providers:\n  - id: a\n    base_url: http://a\n    colour: red`,
      /^kherad\.config\.yaml:4: providers\[0\]\.colour is not a known entry/,
    ],
    [
      'a half-set provider',
      'providers:\n  - id: a',
      /^kherad\.config\.yaml:2: providers\[0\]\.base_url is missing: write the address/,
    ],
    [
      'a provider called sandbox',
      'providers:\n  - { id: sandbox, base_url: http://a }',
      /:2: providers\[0\]\.id is sandbox/,
    ],
    ['a provider twice', `providers:\n${provider}\n${provider}`, /:3: providers\[1\]\.id repeats acme/],
    [
      'an address with a key in it',
      'providers:\n  - { id: a, base_url: "http://u:p@a" }',
      /:2: providers\[0\]\.base_url is .* without key/,
    ],
    [
      'an unset variable',
      `providers:\n  - id: a\n    base_url: http://a\n    api_key: \${NOT_SET}`,
      /:4: providers\[0\]\.api_key uses \$\{NOT_SET\}, which is not set/,
    ],
    [
      'no room for an answer of Responses',
      'defaults: { responses_max_output_tokens: 0 }',
      /:1: defaults\.responses_max_output_tokens is "0": write a whole number within 1 … 32768\./,
    ],
    [
      'more than an answer may have',
      'defaults: { responses_max_output_tokens: 32769 }',
      /:1: defaults\.responses_max_output_tokens is "32769": write a whole number within 1 … 32768\./,
    ],
    [
      'a number in quotes',
      'defaults: { markup: "2" }',
      /:1: defaults\.markup is "2": write a number within 0 … 1000, without quotes\./,
    ],
    [
      'a number in Persian digits',
      'work: { max_minutes: ۳۰ }',
      /max_minutes is "۳۰", whose digits are not 0 to 9: write a whole number within 1 … 10080\./,
    ],
    [
      'no deployment',
      model('').replace('[{ provider: acme, model: gpt-x }]', '[]'),
      /is an empty list: write at least/,
    ],
    ['an empty key', 'providers:\n  - { id: a, base_url: http://a, api_key: "" }', /api_key is empty/],
    [
      'a wrong dialect',
      'providers:\n  - { id: a, base_url: http://a, dialects: [soap] }',
      /dialects\[0\] is "soap": write one of chat, responses, messages/,
    ],
    [
      'no dialect',
      'providers:\n  - { id: a, base_url: http://a, dialects: [] }',
      /dialects is an empty list: write at least one/,
    ],
    [
      'a time that is a text',
      'providers:\n  - { id: a, base_url: http://a, timeouts: { idle_ms: soon } }',
      /timeouts\.idle_ms is "soon": write a whole number within 1 … 3600000/,
    ],
    [
      'a wrong policy',
      'providers:\n  - { id: a, base_url: http://a, on_disconnect: pray }',
      /on_disconnect is "pray": write one of cancel, drain/,
    ],
    [
      'an unsure word on links',
      'providers:\n  - { id: a, base_url: http://a, takes_links: maybe }',
      /takes_links is "maybe": write true or false/,
    ],
    [
      'no place to drain',
      'providers:\n  - { id: a, base_url: http://a, max_drains: 0 }',
      /max_drains is "0": write a whole number within 1 … 100000/,
    ],
    [
      'a header of the client itself',
      'providers:\n  - { id: a, base_url: http://a, headers: { Host: b } }',
      /headers\.Host cannot be sent/,
    ],
    [
      'a model id without a vendor',
      'models:\n  - { id: fast, context_length: 1 }',
      /:2: models\[0\]\.id is "fast": write <vendor>\/<model_name>/,
    ],
    [
      'a model of the sandbox',
      'models:\n  - { id: sandbox/x, context_length: 1 }',
      /another vendor than sandbox/,
    ],
    [
      'a model without deployments',
      'models:\n  - { id: a/b, context_length: 1 }',
      /deployments is missing: write at least one/,
    ],
    [
      'a kind that is not served',
      model('kind: hologram'),
      /:8: models\[0\]\.kind is "hologram": write one of text/,
    ],
    [
      'an answer longer than the window',
      model('').replace('100\n', '2000\n'),
      /max_output_tokens is 2000: write at most the context_length of 1000|max_output_tokens is "2000": write at most the context_length of 1000/,
    ],
    [
      'a price without its other half',
      model('pricing: { input_per_million: 1 }'),
      /:8: models\[0\]\.pricing\.output_per_million is missing: write USD per million tokens, 0 for free/,
    ],
    [
      'a negative price',
      model('pricing: { input_per_million: -1, output_per_million: 1 }'),
      /input_per_million is "-1"/,
    ],
    [
      'efforts without the feature',
      model('reasoning: { supported_efforts: [low] }'),
      /:8: models\[0\]\.reasoning is set but features does not name reasoning/,
    ],
    [
      'a deployment twice',
      model('').replace('model: gpt-x }', 'model: gpt-x }, { provider: acme, model: gpt-x }'),
      /repeats acme\/gpt-x/,
    ],
    [
      'input without text',
      model('input_modalities: [image]'),
      /input_modalities is a list: write a list with text in it/,
    ],
    [
      'a threshold past the whole',
      'budgets: { thresholds_percent: [120] }',
      /thresholds_percent\[0\] is "120"/,
    ],
    ...['10.0.0.0', '10.0.0.0/33', '0.0.0.0/0', '10.0.0.0/7', '::/0', 'fd00::/129', '10.0.0/8', 'lan/8'].map(
      (cidr): [string, string, RegExp] => [
        `no network or too wide a one: ${cidr}`,
        `net:\n  allow_cidrs:\n    - fd12::/32\n    - "${cidr}"`,
        /:4: net\.allow_cidrs\[1\] is ".*": write a network with its prefix, such as 10\.0\.0\.0\/8/,
      ],
    ),
    ...[
      'dns.example',
      '192.0.2.53:0',
      '192.0.2.53:65536',
      '192.0.2.53:',
      '2001:db8::53]:53',
      ':'.repeat(100),
    ].map((server): [string, string, RegExp] => [
      `no address of a name server: ${server}`,
      `net:\n  dns_servers: [192.0.2.53, "${server}"]`,
      /:2: net\.dns_servers\[1\] is ".*": write the address of a name server, such as 192\.0\.2\.53/,
    ]),
  ])('%s', (_, file, sentence) => {
    const { en, fa } = refusal(file)
    expect(en).toMatch(sentence)
    expect(en.split('\n')).toHaveLength(1)
    expect(fa).toMatch(/[\u0600-\u06ff]/)
    expect(fa).toContain('kherad.config.yaml:')
  })
})

test('networks for addresses that users name are read as they are written', () => {
  const file = 'net: { allow_cidrs: [10.0.0.0/8, 192.168.7.7/32, "fc00::/7", "fd12:3456::1/128"] }'
  expect(load(file).net.allowedCidrs).toEqual([
    '10.0.0.0/8',
    '192.168.7.7/32',
    'fc00::/7',
    'fd12:3456::1/128',
  ])
})

test('name servers are read with a port and without', () => {
  const servers = ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]', '[2001:db8::53]:65535']
  expect(load(`net: { dns_servers: ${JSON.stringify(servers)} }`).net.dnsServers).toEqual(servers)
})

test('anchors and aliases are followed, and a value from the environment may be a number', () => {
  const { providers } = load(
    `providers:
  - id: a
    base_url: http://a
    timeouts: &slow
      total_ms: \${WAIT}
  - { id: b, base_url: "\${B}", timeouts: *slow }
`,
    { WAIT: '900000', B: 'http://b' },
  )
  expect(providers.map(({ timeouts }) => timeouts.totalMs)).toEqual([900_000, 900_000])
})

describe('tools', () => {
  test('search is off and fetch is on, free of charge, where nobody says otherwise', () => {
    expect(load().tools).toEqual({ webFetch: { enabled: true, priceUsd: 0 } })
  })

  test.each([
    [
      'SEARXNG_URL',
      'http://10.0.0.9:8888/',
      { vendor: 'searxng', baseUrl: 'http://10.0.0.9:8888', priceUsd: 0 },
    ],
    [
      'BRAVE_API_KEY',
      'k',
      { vendor: 'brave', baseUrl: 'https://api.search.brave.com/res/v1', apiKey: 'k', priceUsd: 0.005 },
    ],
    [
      'TAVILY_API_KEY',
      'k',
      { vendor: 'tavily', baseUrl: 'https://api.tavily.com', apiKey: 'k', priceUsd: 0.008 },
    ],
    [
      'SERPER_API_KEY',
      'k',
      { vendor: 'serper', baseUrl: 'https://google.serper.dev', apiKey: 'k', priceUsd: 0.001 },
    ],
  ])('%s switches its vendor on', (name, value, expected) => {
    expect(load(undefined, { [name]: value }).tools.webSearch).toEqual(expected)
    expect(load('budgets: {}\n', { [name]: value }).tools.webSearch).toEqual(expected)
  })

  test('what the file says wins, and what it leaves out comes from the environment', () => {
    const variables = { SEARXNG_URL: 'http://127.0.0.1:8888', TAVILY_API_KEY: 'from-environment' }
    expect(
      load('tools: { web_search: { vendor: tavily, price_per_search_usd: 0.02 } }', variables).tools,
    ).toEqual({
      webSearch: {
        vendor: 'tavily',
        baseUrl: 'https://api.tavily.com',
        apiKey: 'from-environment',
        priceUsd: 0.02,
      },
      webFetch: { enabled: true, priceUsd: 0 },
    })
    const file = `tools:
  web_search: { vendor: brave, base_url: http://proxy.internal/brave/, api_key: "\${MY_KEY}" }
  web_fetch: { enabled: false, price_per_fetch_usd: 0.001 }
`
    expect(load(file, { ...variables, MY_KEY: 'mine' }).tools).toEqual({
      webSearch: { vendor: 'brave', baseUrl: 'http://proxy.internal/brave', apiKey: 'mine', priceUsd: 0.005 },
      webFetch: { enabled: false, priceUsd: 0.001 },
    })
  })

  test.each([
    ['tools: { web_search: {} }', 'kherad.config.yaml:1: tools.web_search.vendor is missing'],
    [
      'tools: { web_search: { vendor: google } }',
      'tools.web_search.vendor is "google": write one of searxng',
    ],
    ['tools: { web_search: { vendor: searxng } }', 'tools.web_search.base_url is missing'],
    [
      'tools: { web_search: { vendor: brave } }',
      'tools.web_search.api_key is missing: write the key, or set BRAVE_API_KEY.',
    ],
    [
      'tools: { web_search: { vendor: serper, api_key: k, price_per_search_usd: -1 } }',
      'price_per_search_usd is "-1"',
    ],
    ['tools: { web_search: { vendor: serper, api_key: k, base_url: serper } }', 'base_url is "serper"'],
    ['tools: { web_fetch: { enabled: perhaps } }', 'enabled is "perhaps": write true or false'],
    ['tools: { web_fetch: { price: 1 } }', 'tools.web_fetch.price is not a known entry'],
    ['tools: { shell: {} }', 'tools.shell is not a known entry'],
  ])('%s is refused with the place and how to fix it', (file, sentence) => {
    const { en, fa } = refusal(file)
    expect(en).toContain(sentence)
    expect(fa).toMatch(/[\u0600-\u06ff]/)
  })

  test('an address of SearXNG that is none is refused by its variable', () => {
    expect(refusal(undefined, { SEARXNG_URL: 'searx' }).en).toMatch(
      /^SEARXNG_URL is "searx": write an address/,
    )
  })
})

describe('variables of the environment', () => {
  /** Rows of the tables in docs/operations/environment.md: the names of the first column, and the default as it is written. */
  const page = readFileSync(new URL('../docs/operations/environment.md', import.meta.url), 'utf8')
  const documented = page.split('\n').flatMap((line) => {
    const [, names, standard] = /^\| (`[A-Z].*?) \| (.*?) \| /.exec(line) ?? []
    return names === undefined
      ? []
      : [{ names: [...names.matchAll(/[A-Z][A-Z0-9_]+/g)].map(([name]) => name), standard: standard! }]
  })

  test.each(variables)(
    '$name is declared with its meaning in both languages, and documented so',
    (variable) => {
      expect(variable.about.en).toMatch(/^[A-Z][^\u0600-\u06ff]+\.$/)
      expect(variable.about.fa).toMatch(/[\u0600-\u06ff].*\.$/)
      const row = documented.find(({ names }) => names.includes(variable.name.toUpperCase()))
      expect(row).toBeDefined()
      if (variable.default !== undefined) expect(row!.standard).toContain(`\`${variable.default}\``)
    },
  )

  test('all that is documented is declared, but for what Node itself reads', () => {
    const declared = new Set(variables.map(({ name }) => name))
    const names = documented.flatMap((row) => row.names)
    expect(names.length).toBeGreaterThan(30)
    expect(names.filter((name) => !declared.has(name))).toEqual(['NODE_EXTRA_CA_CERTS'])
  })

  test('no two rooms declare one, and the default of each is what is read where it is absent', () => {
    expect(new Set(variables.map(({ name }) => name)).size).toBe(variables.length)
    const written = Object.fromEntries(
      variables.flatMap(({ name, default: standard }) => (standard === undefined ? [] : [[name, standard]])),
    )
    const { KHERAD_CONFIG: _, ...rest } = written
    expect(load(undefined, rest)).toEqual(load())
    expect(readEnv(written)).toMatchObject({ configFile: readEnv({}).configFile, configFileNamed: true })
  })

  test('a default is not what is typed: an empty variable has it too', () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' }
    expect(load(undefined, { ...endpoint, OTEL_TRACES_SAMPLER: ' ' }).tracing).toEqual({
      endpoint: 'http://127.0.0.1:4318',
      sampler: 'parentbased_always_on',
      samplerArgument: '1',
    })
  })
})
