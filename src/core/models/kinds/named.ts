/** What the entries of models of every kind have in common. */
import { type Static, type TObject, type TProperties, Type } from 'typebox'
import { type ConfigNode, integerIn, readingRules, refusals, refuseConfig } from '#platform/config'

/** A model of the file. Whatever needs other rooms (known prices, existing providers) is checked by the catalogue. */
export interface NamedEntry {
  /** The place of the entry, such as `kherad.config.yaml:12: models[0]`, for refusals of the catalogue. */
  where: string
  id: string
  /** Other names under which callers may request the model. */
  aliases: string[]
  displayName?: string
  description?: string
  deployments: DeploymentEntry[]
  fallbacks: string[]
  /** The day on which the vendor switches the model off, such as 2027-01-06. */
  shutdownDate?: string
}

export interface DeploymentEntry {
  provider: string
  model: string
  weight: number
  priority: number
}

const idExpected = {
  en: '<vendor>/<model_name> of at most 200 characters',
  fa: '<فروشنده>/<نام مدل> با حداکثر ۲۰۰ کاراکتر',
}

const id = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9._:/@-]*$',
  maxLength: 200,
  ...readingRules({
    missing: { en: 'write <vendor>/<model_name>', fa: '<فروشنده>/<نام مدل> را بنویسید' },
    expected: idExpected,
    check: (text: string, node: ConfigNode) => {
      if (text.startsWith('sandbox/'))
        node.refuseValue({
          en: 'another vendor than sandbox, which is built in',
          fa: 'فروشنده‌ای جز sandbox که درونی است',
        })
    },
  }),
})

/**
 * A name for clients whose model cannot be changed, such as `gpt-4o`; it needs no slash. The catalogue makes sure that no two models share a name.
 */
const alias = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._:/@-]*$',
  maxLength: 200,
  ...readingRules({
    expected: {
      en: 'a name of letters, digits and . _ : / @ -, at most 200 characters, such as gpt-4o',
      fa: 'نامی از حرف لاتین، رقم و . _ : / @ - با حداکثر ۲۰۰ کاراکتر، مانند gpt-4o',
    },
  }),
})

const deployment = {
  provider: Type.String(
    readingRules({
      missing: { en: 'write the id of a provider', fa: 'شناسه‌ی یک ارائه‌دهنده را بنویسید' },
    }),
  ),
  model: Type.String(
    readingRules({
      missing: {
        en: "write the upstream's own name of the model",
        fa: 'نام مدل نزد ارائه‌دهنده را بنویسید',
      },
    }),
  ),
  weight: Type.Number({
    minimum: 0.001,
    maximum: 1_000_000,
    default: 1,
    description: 'Share among deployments of equal priority.',
  }),
  priority: integerIn(0, 1_000, { default: 0, description: 'Lower is tried first.' }),
}

const deploymentsExpected = {
  en: 'at least one of { provider, model }',
  fa: 'دست‌کم یک { provider, model }',
}

function refuseTwice(deployments: DeploymentEntry[], node: ConfigNode): void {
  const seen = new Set<string>()
  for (const [index, { provider, model }] of deployments.entries()) {
    const name = `${provider}/${model}`
    if (seen.has(name)) refuseConfig(refusals.duplicate(node.find(index)!.sourcePosition(), name))
    seen.add(name)
  }
}

/** The deployments of an entry; `own` are settings that only deployments of its kind have. */
export const deploymentsWith = <Own extends TProperties>(own: Own) =>
  Type.Array(Type.Object({ ...deployment, ...own }), {
    minItems: 1,
    ...readingRules({
      missing: { en: `write ${deploymentsExpected.en}`, fa: `${deploymentsExpected.fa} بنویسید` },
      expected: deploymentsExpected,
      check: refuseTwice,
    }),
  })

const shutdownExpected = { en: 'a day such as 2027-01-06', fa: 'روزی مانند 2027-01-06' }

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) === true

/** Members of every kind; `kind` is written by each kind for itself. */
export const commonFields = {
  id,
  kind: Type.Optional(Type.String()),
  aliases: Type.Array(alias, {
    uniqueItems: true,
    default: [],
    description: 'Other names by which it may be asked for.',
  }),
  display_name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  shutdown_date: Type.Optional(
    Type.String({
      description:
        'The day on which its vendor switches it off, such as 2027-01-06; its card and the doctor say so.',
      ...readingRules({
        expected: shutdownExpected,
        check: (day: string, node: ConfigNode) => {
          if (!isDay(day)) node.refuseValue(shutdownExpected)
        },
      }),
    }),
  ),
  deployments: deploymentsWith({}),
}

/** Models that may answer in place of this one. */
export const fallbacks = Type.Array(
  Type.String(readingRules({ expected: { en: 'the id of another model', fa: 'شناسه‌ی مدلی دیگر' } })),
  { uniqueItems: true, default: [], description: 'Models that answer when no deployment of this one can.' },
)

export function readNamedEntry(
  typed: Static<TObject<typeof commonFields>> & { fallbacks?: string[] },
  node: ConfigNode,
): NamedEntry {
  const { display_name, description, shutdown_date } = typed
  return {
    where: node.sourcePosition(),
    id: typed.id,
    aliases: typed.aliases,
    ...(display_name !== undefined && { displayName: display_name }),
    ...(description !== undefined && { description }),
    deployments: typed.deployments,
    fallbacks: typed.fallbacks ?? [],
    ...(shutdown_date !== undefined && { shutdownDate: shutdown_date }),
  }
}
