// Checks data against a schema and says what is wrong in words for people. The only validator of the project.
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { TLocalizedValidationError } from 'typebox/error';
import type { Fault } from './problem.ts';

export interface Checker {
  /** True where the data fits; costs next to nothing. */
  fits(data: unknown): boolean;
  /** What is wrong, each with `at` before its path; at most `most` of it. */
  faults(data: unknown, at?: string, most?: number): Fault[];
  /** The data with texts read as numbers and booleans where the schema wants those; for query parameters. */
  coerce(data: unknown): unknown;
}

export function checker(schema: TSchema): Checker {
  const compiled = Compile(schema);
  const fields = Object.keys((schema as { properties?: object }).properties ?? {});
  return {
    fits: (data) => compiled.Check(data),
    faults: (data, at = '', most = 100) => {
      if (compiled.Check(data)) return [];
      const faults: Fault[] = [];
      for (const error of compiled.Errors(data)) {
        for (const { path, message } of inWords(error, fields)) {
          if (faults.length < most) faults.push({ path: at + path, message });
        }
      }
      return faults;
    },
    coerce: (data) => compiled.Convert(data),
  };
}

function inWords(error: TLocalizedValidationError, fields: string[]): Fault[] {
  const at = error.instancePath;
  switch (error.keyword) {
    case 'required':
      return error.params.requiredProperties.map((field) => ({ path: `${at}/${field}`, message: 'is required' }));
    case 'additionalProperties':
      return error.params.additionalProperties.map((field) => ({
        path: `${at}/${pointerPart(field)}`,
        message: at === '' && fields.length > 0 ? `is unknown; known are ${fields.join(', ')}` : 'is not allowed here',
      }));
    case 'boolean':
    case 'anyOf':
      return [];
    case 'enum':
      return [{ path: at, message: `must be one of ${error.params.allowedValues.join(', ')}` }];
    case 'const':
      return [{ path: at, message: `must be ${error.params.allowedValue}` }];
    case 'type':
      return [{ path: at, message: `must be ${[error.params.type].flat().map(withArticle).join(' or ')}` }];
    case 'pattern':
      return [{ path: at, message: `must match ${error.params.pattern}` }];
    case 'minimum':
    case 'maximum':
      return [{ path: at, message: `must be ${error.params.comparison} ${error.params.limit}` }];
    default:
      return [{ path: at, message: error.message }];
  }
}

function withArticle(type: string): string {
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** A property name as a part of a JSON pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
