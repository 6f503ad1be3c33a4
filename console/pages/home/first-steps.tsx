import type { ReactNode } from 'react'
import { Card } from '../../pieces/card.tsx'
import { CodeBlock } from '../../pieces/code-block.tsx'
import { useWords } from '../../words/use-words.ts'
import styles from './home.module.css'
import { homeWords } from './home.words.ts'

/** What somebody does in a project that nobody has called yet. */
export function FirstSteps(): ReactNode {
  const words = useWords(homeWords)
  const { origin } = location
  const samples = [
    {
      language: 'curl',
      code: `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $KHERAD_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"messages":[{"role":"user","content":"${words.greeting}"}]}'`,
    },
  ]
  return (
    <Card title={words.firstTitle} action={<a href="/docs">{words.reference}</a>}>
      <div className={styles['steps']}>
        <p>{words.firstLead}</p>
        <CodeBlock samples={samples} label={words.firstCall} />
      </div>
    </Card>
  )
}
