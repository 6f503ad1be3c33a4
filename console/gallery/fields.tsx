import { type ReactNode, useState } from 'react'
import { Grid } from '../pieces/card.tsx'
import { CheckList } from '../pieces/check-list.tsx'
import { Choices } from '../pieces/choices.tsx'
import { DateField } from '../pieces/date-field.tsx'
import { CheckField, CodeField, PasswordField, TextArea, TextField } from '../pieces/field.tsx'
import { NumberField } from '../pieces/number-field.tsx'
import { RangeField } from '../pieces/range-field.tsx'
import { SearchField } from '../pieces/search-field.tsx'
import { Select } from '../pieces/select.tsx'
import type { DayRange } from '../words/ranges.ts'
import { useWords } from '../words/use-words.ts'
import { galleryWords } from './gallery.words.ts'

const models = ['acme/fast', 'acme/deep', 'house/image'].map((name) => ({ value: name, label: name }))

export function Fields(): ReactNode {
  const words = useWords(galleryWords)
  const [email, setEmail] = useState('')
  const [name, setName] = useState('وب‌سایت')
  const [password, setPassword] = useState('correct horse')
  const [cap, setCap] = useState('۱۲٬۵۰۰')
  const [code, setCode] = useState('')
  const [model, setModel] = useState('acme/fast')
  const [about, setAbout] = useState('')
  const [wanted, setWanted] = useState('')
  const [isKept, setKept] = useState(true)
  const [day, setDay] = useState('۱۴۰۵/۱۲/۰۸')
  const [range, setRange] = useState<DayRange>()
  const [chosen, setChosen] = useState(['acme/fast'])
  return (
    <Grid columns="two">
      <TextField
        label={words.email}
        hint={words.emailHint}
        type="email"
        isLtr
        placeholder="sara@example.ir"
        value={email}
        onChange={setEmail}
      />
      <TextField label={words.name} error={words.nameError} value={name} onChange={setName} />
      <PasswordField label={words.password} value={password} onChange={setPassword} autoComplete="off" />
      <NumberField label={words.cap} unit={words.unit} value={cap} onChange={setCap} />
      <Select label={words.model} choices={models} value={model} onChange={setModel} isSearchable />
      <CodeField label={words.code} value={code} onChange={setCode} />
      <SearchField label={words.model} placeholder={words.model} value={wanted} onChange={setWanted} />
      <TextArea label={words.about} value={about} onChange={setAbout} />
      <TextField label={words.disabled} value={words.name} onChange={() => {}} disabled />
      <DateField label={words.day} value={day} onChange={setDay} />
      <RangeField hasAll today="2026-11-30" value={range} onChange={setRange} />
      <RangeField today="2026-11-30" value={{ from: '2026-11-03', to: '2026-11-05' }} onChange={() => {}} />
      <Choices
        label={words.model}
        hasLabel
        note={words.keepHint}
        choices={models}
        value={model}
        onChoose={setModel}
      />
      <CheckList
        label={words.models}
        isSearchable
        chosen={chosen}
        onChange={setChosen}
        groups={[{ items: models.map((one) => ({ ...one, isCode: true, hint: words.emailHint })) }]}
      />
      <CheckField label={words.keep} hint={words.keepHint} isChecked={isKept} onChange={setKept} />
    </Grid>
  )
}
