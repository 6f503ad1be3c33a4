/** Who may sign up, and what a new account begins with. */
import { Type } from 'typebox'
import { fileSection, integerIn, readingRules, refuseConfig } from '#platform/config'
import { microcreditsPerCredit } from '#platform/ledger'

declare module '#platform/config' {
  interface Settings {
    people: PeopleConfig
  }
}

export interface PeopleConfig {
  /** Whether people who are not known may sign up. Nobody may while no person exists. */
  signUp: 'closed' | 'invitation' | 'open'
  /** The plan of a new account. */
  plan: string
  /** What a new account gets, once for each proven address, in micro-credits. */
  welcomeMicrocredits: bigint
  /** What all new accounts of a day (UTC) get at most, in micro-credits. */
  dailyMicrocredits: bigint
}

const maxCredits = 1_000_000_000

const plan = { en: 'the name of a plan, such as standard', fa: 'نام یک طرح، مانند standard' }

const People = Type.Object(
  {
    sign_up: Type.Optional(
      Type.Unsafe<'closed' | 'invitation' | 'open'>({
        type: 'string',
        enum: ['closed', 'invitation', 'open'],
        default: 'invitation',
        description: 'Whether people who are not known may sign up; open needs mail and KHERAD_BASE_URL.',
      }),
    ),
    plan: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9_-]{0,39}$',
        default: 'standard',
        description: 'The plan of accounts that are opened by signing up.',
        ...readingRules({ expected: plan }),
      }),
    ),
    credits: Type.Optional(
      integerIn(0, maxCredits, {
        default: 0,
        description: 'Credits of such an account, once for each address.',
      }),
    ),
    daily_credits: Type.Optional(
      integerIn(0, maxCredits, {
        default: 0,
        description: 'What all new accounts of a day get at most; at least credits.',
      }),
    ),
  },
  { default: {} },
)

const tooLittle = {
  en: 'people.daily_credits must be at least people.credits: otherwise no new account gets any.',
  fa: 'people.daily_credits باید دست‌کم به اندازهٔ people.credits باشد؛ وگرنه هیچ حساب تازه‌ای اعتباری نمی‌گیرد.',
}

export const people = fileSection({
  name: 'people',
  schema: People,
  read({ sign_up: signUp = 'invitation', plan: name = 'standard', credits = 0, daily_credits: daily = 0 }) {
    if (daily < credits) refuseConfig(tooLittle)
    return {
      signUp,
      plan: name,
      welcomeMicrocredits: BigInt(credits) * microcreditsPerCredit,
      dailyMicrocredits: BigInt(daily) * microcreditsPerCredit,
    }
  },
})
