/**
 * The elements and attributes that a drawing may have. Nothing that runs, moves, links or loads is among them: no script, animation, foreignObject,
 * feImage or handler.
 */
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export const elements = words(`
  svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan textPath image
  linearGradient radialGradient stop clipPath mask pattern marker filter
  feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight
  feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight
  feSpecularLighting feSpotLight feTile feTurbulence`)

/** Elements that only group their children: the children are kept, the element itself is not. */
export const unwrappedElements = words('a switch')
export const textElements = words('text tspan textPath title desc')
export const referringElements = words('use textPath linearGradient radialGradient pattern')

/** Properties that are written as attributes; `style` and style sheets are turned into these attributes. */
export const properties = words(`
  alignment-baseline baseline-shift clip-path clip-rule color color-interpolation color-interpolation-filters direction display
  dominant-baseline fill fill-opacity fill-rule filter flood-color flood-opacity font-family font-size font-size-adjust font-stretch
  font-style font-variant font-weight image-rendering letter-spacing lighting-color marker-end marker-mid marker-start mask mask-type
  opacity overflow paint-order shape-rendering stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap
  stroke-linejoin stroke-miterlimit stroke-opacity stroke-width text-anchor text-decoration text-rendering unicode-bidi
  vector-effect visibility word-spacing writing-mode transform transform-origin`)

/** Properties that work in `style` only. */
export const styleProperties = words('mix-blend-mode isolation white-space')

/** The allowed attributes; `id` and `href` have rules of their own. */
export const attributes = words(`
  width height viewBox preserveAspectRatio version role aria-label aria-hidden lang xml:lang xml:space
  d x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy rotate points pathLength textLength lengthAdjust startOffset method spacing side
  offset gradientUnits gradientTransform spreadMethod clipPathUnits maskUnits maskContentUnits patternUnits patternContentUnits
  patternTransform markerUnits markerWidth markerHeight orient refX refY filterUnits primitiveUnits
  in in2 result mode type values tableValues slope intercept amplitude exponent operator k1 k2 k3 k4 order kernelMatrix divisor bias
  targetX targetY edgeMode preserveAlpha surfaceScale diffuseConstant specularConstant specularExponent limitingConeAngle azimuth
  elevation z pointsAtX pointsAtY pointsAtZ scale xChannelSelector yChannelSelector stdDeviation radius baseFrequency numOctaves seed
  stitchTiles`)

export const functions = words(
  'url rgb rgba hsl hsla matrix translate translatex translatey scale scalex scaley rotate skewx skewy',
)

/** The most characters of an attribute's value; the list of points may be most of a drawing. */
export const maxValueLength = (name: string): number =>
  name === 'd' || name === 'points' ? 1_000_000 : name === 'href' ? 2_800_000 : 8_192
