import type { ReactNode } from 'react'
import { Card, Fact, Grid } from '../../pieces/card.tsx'
import { formatNumber } from '../../words/digits.ts'
import { Id, Moment, Name } from '../../words/personal.tsx'
import { useLocale, useWords } from '../../words/use-words.ts'
import { End } from '../keys/key-words.tsx'
import { nounsOf } from '../keys/scopes.ts'
import { scopeWords } from '../keys/scopes.words.ts'
import { Closed } from './closed.tsx'
import { LastUse } from './key-words.tsx'
import styles from './management-keys.module.css'
import { managementWords } from './management-keys.words.ts'
import type { ManagementKey } from './queries.ts'
import { rightNames } from './rights.ts'
import { rightWords } from './rights.words.ts'

/** All of a management key: what it may do in sentences, its bounds, who made it and what it made. */
export function Facts({ of }: { of: ManagementKey }): ReactNode {
  const words = useWords(managementWords)
  const { rights } = useWords(rightWords)
  const sentences = useWords(scopeWords)
  const locale = useLocale()
  return (
    <>
      <Card title={words.rights}>
        <ul className={styles['closed']}>
          {rightNames
            .filter((right) => of.permissions.includes(right))
            .map((right) => (
              <li key={right}>{rights[right].long}</li>
            ))}
        </ul>
        {of.permissions.includes('keys:write') && (
          <Fact isRow label={words.scopes}>
            {of.key_scopes.length === 0 ? words.noScopes : nounsOf(locale, sentences, of.key_scopes)}
          </Fact>
        )}
      </Card>
      <Grid columns="three">
        <Fact label={words.columns.from}>
          {of.addresses.length === 0
            ? words.everywhere
            : of.addresses.map((network) => (
                <div key={network}>
                  <Id>{network}</Id>
                </div>
              ))}
        </Fact>
        <Fact label={words.columns.end}>
          {of.revoked_at === null ? <End expiresAt={of.expires_at} /> : <Moment at={of.revoked_at} />}
        </Fact>
        <Fact label={words.columns.used}>
          <LastUse of={of} />
        </Fact>
        <Fact label={words.madeBy}>
          <Name>{of.made_by.display_name}</Name>
        </Fact>
        <Fact label={words.made_keys}>
          {of.made_keys === 0 ? words.noMadeKeys : words.count(formatNumber(locale, of.made_keys))}
        </Fact>
      </Grid>
      <Closed />
    </>
  )
}
