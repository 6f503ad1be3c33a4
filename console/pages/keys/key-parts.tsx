import type { ReactNode } from 'react'
import { LinkButton } from '../../pieces/button.tsx'
import { Bar, Card, Fact, Grid } from '../../pieces/card.tsx'
import { UsageLink } from '../../spending/usage-link.tsx'
import { formatNumber } from '../../words/digits.ts'
import { Id } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { End, LastUse, Maker } from './key-words.tsx'
import { keysWords } from './keys.words.ts'
import { oneKeyWords } from './one-key.words.ts'
import { partWords } from './parts.words.ts'
import { nounsOf } from './scopes.ts'
import { scopeWords } from './scopes.words.ts'
import type { Key, Part } from './settings.ts'

interface KeyPartsProps {
  of: Key
  /** Opens the change of a part; undefined where the role may change nothing. */
  onChange?: ((part: Part) => void) | undefined
}

/** All settings of a key, each with its change beside it. */
export function KeyParts({ of, onChange }: KeyPartsProps): ReactNode {
  const words = useWords(oneKeyWords)
  const labels = useWords(partWords).labels
  const fact =
    (isRow: boolean) =>
    (name: Part, value: ReactNode, below?: ReactNode): ReactNode => (
      <Fact
        isRow={isRow}
        label={labels[name]}
        action={
          onChange && (
            <LinkButton aria-label={words.changeOf(labels[name])} onClick={() => onChange(name)}>
              {words.change}
            </LinkButton>
          )
        }
        below={below}
      >
        {value}
      </Fact>
    )
  const [card, row] = [fact(false), fact(true)]
  return (
    <>
      <Grid columns="figures">
        {card('scopes', <Scopes of={of} />)}
        {card(
          'month_cap_credits',
          <Amount of={of} part="month_cap_credits" />,
          <Spent of={of} period="month" />,
        )}
        {card('expires_at', <End expiresAt={of.expires_at} />)}
      </Grid>
      <Card title={words.rest}>
        <Grid columns="rows">
          <Fact isRow label={words.lastUse}>
            <LastUse of={of} />
          </Fact>
          <Fact isRow label={words.maker}>
            <Maker of={of} />
          </Fact>
          {row('cap_credits', <Amount of={of} part="cap_credits" />, <Spent of={of} period="total" />)}
          {row('models', <Names of={of.models} none={words.all} />)}
          {row('rate_per_minute', <Amount of={of} part="rate_per_minute" />)}
          {row('concurrency', <Amount of={of} part="concurrency" />)}
          {row('keep_days', <Amount of={of} part="keep_days" />)}
          {row('responses_max_output_tokens', <Amount of={of} part="responses_max_output_tokens" />)}
          {row('origins', <Names of={of.origins} none={words.none} />)}
        </Grid>
      </Card>
    </>
  )
}

/** Every scope by its noun, with its name in the API on hover. */
function Scopes({ of }: { of: Key }): ReactNode {
  const words = useWords(scopeWords)
  return <span title={of.scopes.join(' ')}>{nounsOf(useLocale(), words, of.scopes)}</span>
}

function Names({ of, none }: { of: readonly string[] | null; none: string }): ReactNode {
  if (of === null) return none
  return of.map((name) => (
    <div key={name}>
      <Id>{name}</Id>
    </div>
  ))
}

type AmountPart =
  | 'month_cap_credits'
  | 'cap_credits'
  | 'rate_per_minute'
  | 'concurrency'
  | 'keep_days'
  | 'responses_max_output_tokens'

function Amount({ of, part }: { of: Key; part: AmountPart }): ReactNode {
  const words = useWords(oneKeyWords)
  const locale = useLocale()
  const written: Record<AmountPart, [(amount: string) => string, string]> = {
    month_cap_credits: [words.credits, words.noCap],
    cap_credits: [words.credits, words.noCap],
    rate_per_minute: [words.perMinute, words.ofAccount],
    concurrency: [words.atOnce, words.ofAccount],
    keep_days: [words.days, words.ofProject],
    responses_max_output_tokens: [words.tokens, words.ofServer],
  }
  const [say, none] = written[part]
  const amount = of[part]
  return amount === null ? none : say(formatNumber(locale, amount))
}

/** What was spent in a period, as a bar where there is a cap. */
function Spent({ of, period }: { of: Key; period: 'month' | 'total' }): ReactNode {
  const words = useWords(oneKeyWords)
  const { columns } = useWords(keysWords)
  const locale = useLocale()
  const [spent, cap] =
    period === 'month' ? [of.month_spent_credits, of.month_cap_credits] : [of.spent_credits, of.cap_credits]
  const said = formatNumber(locale, spent)
  return (
    <>
      {cap !== null && <Bar part={cap === 0 ? 1 : spent / cap} label={columns.spent} />}
      <UsageLink since={period === 'month' ? 'month' : of.created_at} keyId={of.id}>
        {period === 'month' ? words.monthSpent(said) : words.spentOf(said)}
      </UsageLink>
    </>
  )
}
