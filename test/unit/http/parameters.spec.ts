import 'reflect-metadata';
import { ApiProperty } from '@nestjs/swagger';
import { IsDefined } from 'class-validator';
import { InvalidFields } from '../../../src/common/field-errors.js';
import { Flag, readParameters } from '../../../src/common/http/query.decorator.js';

class Optional {
  @Flag('whether')
  _flag?: string;
}

class Required {
  @IsDefined({ message: 'is required' })
  @ApiProperty()
  name!: string;
}

describe('query parameters', () => {
  const none = new URLSearchParams();

  it('may all be left out: each request gets an instance of its own', () => {
    const [one, other] = [readParameters(Optional, none), readParameters(Optional, none)];
    expect(one).toEqual(new Optional());
    expect(one).not.toBe(other);
  });

  it.each(['a first', 'a second'])('that are required are missed by %s request without them', () => {
    expect(() => readParameters(Required, none)).toThrow(InvalidFields);
  });

  it('are checked where there are some', () => {
    expect(readParameters(Optional, new URLSearchParams('_flag=true'))._flag).toBe('true');
    expect(() => readParameters(Optional, new URLSearchParams('_flag=perhaps'))).toThrow(InvalidFields);
    expect(() => readParameters(Optional, new URLSearchParams('flag=true'))).toThrow(InvalidFields);
    for (const wrong of ['name=a&name=a', 'name=%00'])
      expect(() => readParameters(Required, new URLSearchParams(wrong))).toThrow(InvalidFields);
  });
});
