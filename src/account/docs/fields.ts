/** JSON Schema → a list of fields that a person reads: name, type, bounds, meaning, and what is inside. */
import type { TSchema } from 'typebox'
import { Html, type HtmlContent, html } from '#platform/html'
import { code, joined, prose } from './html.ts'
import { types } from './phrases.ts'
import type { Translator } from './translator.ts'

interface SchemaShape {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, SchemaShape>
  required?: string[]
  items?: SchemaShape
  anyOf?: SchemaShape[]
  oneOf?: SchemaShape[]
  discriminator?: { propertyName: string }
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  pattern?: string
  format?: string
  default?: unknown
  description?: string
  'x-description-fa'?: string
}

/** The fields of an object schema. */
export const fieldsOf = (translate: Translator, schema: TSchema): Html =>
  nestedFields(translate, schema as SchemaShape, '') ?? html``

/** Fields that stand by themselves, such as headers. */
export const fieldList = (
  translate: Translator,
  schemas: Record<string, TSchema>,
  required: readonly string[],
): Html => list(translate, schemas as Record<string, SchemaShape>, required, '')

function list(
  translate: Translator,
  shapes: Record<string, SchemaShape>,
  required: readonly string[],
  parent: string,
): Html {
  const rows = Object.entries(shapes).map(([name, shape]) =>
    field(translate, name, shape, required.includes(name), parent),
  )
  return html`<ul class="fields">${rows}</ul>`
}

function field(
  translate: Translator,
  name: string,
  shape: SchemaShape,
  required: boolean,
  parent: string,
): Html {
  const path = parent === '' ? name : `${parent}.${name}`
  const within = nestedFields(translate, shape, path)
  return html`<li>
<p class="field"><code dir="ltr" class="name">${name}</code> ${required && html`<span class="required">${translate('required')}</span> `}<span class="type">${typeOf(translate, shape)}</span>
${boundsOf(translate, shape).map((bound) => html` <span class="bound">${bound}</span>`)}</p>
${meaning(translate, shape)}
${within && html`<details><summary>${translate('fieldsOf')} ${code(isList(shape) ? `${path}[]` : path)}</summary>${within}</details>`}
</li>`
}

function meaning(translate: Translator, shape: SchemaShape): HtmlContent {
  // The description of a value that may be null stands on its other variant, in both languages.
  const described = shape.description === undefined ? withoutNull(shape) : shape
  const persian = translate.language === 'fa' ? described['x-description-fa'] : undefined
  const text = persian ?? described.description
  if (text === undefined) return undefined
  if (translate.language === 'en' || persian !== undefined) return html`<p class="meaning">${prose(text)}</p>`
  return html`<p class="meaning" lang="en" dir="ltr">${prose(text)}</p>`
}

const isList = (shape: SchemaShape): boolean => withoutNull(shape).items !== undefined

const isNull = (shape: SchemaShape): boolean => shape.type === 'null'

/** The shape without its "or null", which has no bounds of its own. */
function withoutNull(shape: SchemaShape): SchemaShape {
  const variants = shape.anyOf?.filter((variant) => !isNull(variant)) ?? []
  return variants.length === 1 ? variants[0]! : shape
}

function typeOf(translate: Translator, shape: SchemaShape): HtmlContent {
  if (shape.anyOf)
    return joined(
      shape.anyOf.map((variant) => typeOf(translate, variant)),
      translate('or'),
    )
  if (shape.const !== undefined) return [translate('always'), ' ', code(JSON.stringify(shape.const))]
  if (shape.enum)
    return [
      translate('oneOf'),
      ' ',
      joined(
        shape.enum.map((value) => code(String(value))),
        translate.language === 'fa' ? '، ' : ', ',
      ),
    ]
  const names = shape.type === undefined ? [shape.oneOf ? 'object' : 'any'] : [shape.type].flat()
  return joined(
    names.map((name) =>
      name === 'array' && shape.items
        ? [translate('listOf'), ' ', typeOf(translate, shape.items)]
        : word(translate, name),
    ),
    translate('or'),
  )
}

const word = (translate: Translator, type: string): HtmlContent =>
  types[type] ? translate.of(types[type]) : code(type)

function boundsOf(translate: Translator, nullableShape: SchemaShape): HtmlContent[] {
  const shape = withoutNull(nullableShape)
  const bounds: HtmlContent[] = [
    range(translate, shape.minimum, shape.maximum),
    range(translate, shape.minLength, shape.maxLength, translate('characters')),
    range(translate, shape.minItems, shape.maxItems, translate('items')),
    shape.pattern !== undefined &&
      shape.format === undefined && [translate('pattern'), ' ', code(shape.pattern)],
    shape.format !== undefined && code(shape.format),
    shape.default !== undefined && [translate('standard'), ' ', code(JSON.stringify(shape.default))],
  ]
  return bounds.filter((bound) => bound !== false && bound !== undefined)
}

function range(
  translate: Translator,
  min: number | undefined,
  max: number | undefined,
  unit?: string,
): HtmlContent {
  // The least and the greatest exact integer of JSON are no bounds that anybody means.
  const low = min === Number.MIN_SAFE_INTEGER ? undefined : min
  const high = max === Number.MAX_SAFE_INTEGER ? undefined : max
  const end = unit === undefined ? '' : ` ${unit}`
  if (low !== undefined && high !== undefined)
    return [translate.number(low), translate('to'), translate.number(high), end]
  if (low !== undefined) return [translate('atLeast'), translate.number(low), end]
  if (high !== undefined) return [translate('atMost'), translate.number(high), end]
  return undefined
}

/** The fields inside a value: those of an object, of the members of a list, of each shape that the value may have. */
function nestedFields(translate: Translator, shape: SchemaShape, path: string): Html | undefined {
  if (shape.properties && Object.keys(shape.properties).length > 0)
    return list(translate, shape.properties, shape.required ?? [], path)
  if (shape.oneOf) return variants(translate, shape.oneOf, shape.discriminator?.propertyName, path)
  if (shape.items) return nestedFields(translate, shape.items, `${path}[]`)
  const within = (shape.anyOf ?? [])
    .map((variant) => nestedFields(translate, variant, path))
    .filter((part) => part instanceof Html)
  return within.length === 0 ? undefined : html`${within}`
}

function variants(translate: Translator, shapes: SchemaShape[], tag: string | undefined, path: string): Html {
  return html`${shapes.map((shape) => {
    const { [tag ?? '']: mark, ...rest } = shape.properties ?? {}
    const required = shape.required ?? []
    const heading =
      mark === undefined
        ? undefined
        : html`<p class="variant">${translate('when')} ${code(
            `${tag}: ${[mark.const ?? mark.enum]
              .flat()
              .map((value) => JSON.stringify(value))
              .join(' | ')}`,
          )}</p>`
    return html`<div class="shape">${heading}${Object.keys(rest).length > 0 && list(translate, rest, required, path)}</div>`
  })}`
}
