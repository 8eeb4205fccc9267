UPDATE validations SET figures = NULL;
