/** Name, language and time zone of the person. */
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { call, type Reply } from '../../api/client.ts'
import { meQuery, queries } from '../../api/queries.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { Button } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { languageNames } from '../../pieces/pieces.words.ts'
import { ErrorState, Skeleton } from '../../pieces/states.tsx'
import { TimeZoneField } from '../../pieces/time-zone-field.tsx'
import { showToast } from '../../pieces/toasts.ts'
import { Failure } from '../../sign-in/failure.tsx'
import { chooseLocale, type Locale, locale } from '../../words/locale.ts'
import { useWords } from '../../words/use-words.ts'
import styles from './profile.module.css'
import { profileWords } from './profile.words.ts'

type Me = Reply<'GET /v1/me'>

export function About(): ReactNode {
  const me = useQuery(meQuery)
  if (me.data) return <AboutForm me={me.data} />
  if (me.error) return <ErrorState error={me.error} onAgain={() => void me.refetch()} />
  return <Skeleton lines={5} onAgain={() => void me.refetch()} />
}

function AboutForm({ me }: { me: Me }): ReactNode {
  const words = useWords(profileWords)
  const [name, setName] = useState(me.display_name)
  const [language, setLanguage] = useState(me.locale)
  const [timeZone, setTimeZone] = useState(me.time_zone)
  const save = useAction(async () => {
    const body = { display_name: name, locale: language, time_zone: timeZone }
    const saved = await call('PATCH /v1/me', { body })
    queries.setQueryData(meQuery.queryKey, saved)
    setName(saved.display_name)
    setTimeZone(saved.time_zone)
    // Who changes a name alone may read these pages in another language than their letters.
    if (saved.locale !== me.locale) chooseLocale(saved.locale)
    showToast(profileWords[locale()].saved)
  })
  const isChanged = name !== me.display_name || language !== me.locale || timeZone !== me.time_zone
  const nameError = refusalOf(save.error, 'display_name')
  const zoneError = refusalOf(save.error, 'time_zone')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.run()
  }
  return (
    <Card title={words.about}>
      <Form className={styles['form']} onSubmit={submit}>
        <TextField
          label={words.name}
          hint={words.nameHint}
          name="name"
          autoComplete="name"
          dir="auto"
          required
          maxLength={120}
          value={name}
          onChange={setName}
          error={nameError}
        />
        <div className={styles['choice']}>
          <span className={styles['label']}>{words.language}</span>
          <Choices<Locale>
            label={words.language}
            choices={[
              { value: 'fa', label: languageNames.fa },
              { value: 'en', label: languageNames.en },
            ]}
            value={language}
            onChoose={setLanguage}
          />
          <small className={styles['soft']}>{words.languageHint}</small>
        </div>
        <TimeZoneField
          label={words.timeZone}
          hint={words.timeZoneHint}
          value={timeZone}
          onChange={setTimeZone}
          error={zoneError}
        />
        {nameError === undefined && zoneError === undefined && <Failure error={save.error} />}
        <Button kind="primary" type="submit" disabled={!isChanged} isBusy={save.isBusy}>
          {words.save}
        </Button>
      </Form>
    </Card>
  )
}
